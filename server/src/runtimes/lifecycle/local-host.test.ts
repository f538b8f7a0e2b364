import { beforeEach, expect, test } from 'vitest';
import { LocalHost, type LocalHostOptions } from './local-host.ts';

let host: LocalHost;

beforeEach(() => {
  // Listing and changing use none of the parts.
  host = new LocalHost({} as LocalHostOptions);
});

const start = () => host.change('runtime', 'starting', async () => undefined);
const list = (sandboxes: readonly string[]) => host.noteAlive(async () => sandboxes);

test('a host may have sandboxes until a listing finds none', async () => {
  expect(host.hasSandboxes).toBe(true);
  await list(['sandbox']);
  expect(host.hasSandboxes).toBe(true);
  await list([]);
  expect(host.hasSandboxes).toBe(false);
});

test('a change lets a host have sandboxes again', async () => {
  await list([]);
  await start();
  expect(host.hasSandboxes).toBe(true);
});

test('a host may have sandboxes after a change that began and ended during a listing', async () => {
  await host.noteAlive(async () => {
    await start();
    return [];
  });
  expect(host.hasSandboxes).toBe(true);
});

test('a host may have sandboxes after a change that began before a listing and ends after it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const change = host.change('runtime', 'starting', () => promise);
  await list([]);
  expect(host.hasSandboxes).toBe(true);
  resolve();
  await change;
});

test('a listing that fails changes nothing', async () => {
  const fail = () => Promise.reject(new Error('the database is away'));
  await expect(host.noteAlive(fail)).rejects.toThrow();
  expect(host.hasSandboxes).toBe(true);
});
