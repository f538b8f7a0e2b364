/** A model provider with its key at the time of a backup, and the checks on the backup and on the restored server. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type pg from 'pg';
import { expect } from 'vitest';
import { createVault } from '../src/platform/secrets/envelope.ts';
import { call } from './processes.ts';

const PROVIDERS = '/org/main/inference/providers';
const API_KEY = 'sk-the-key-of-a-provider-that-is-backed-up';
const PROVIDER = {
  name: 'kept',
  kind: 'anthropic',
  base_url: 'https://api.anthropic.example',
  models: [{ name: 'large', input_price: 3, output_price: 15 }],
};

export async function writeProvider(url: string, key: string): Promise<void> {
  const providers = [{ ...PROVIDER, api_key: API_KEY }];
  expect(await call(url, key, 'PUT', PROVIDERS, { providers })).toMatchObject({ status: 200 });
}

/** The key must appear neither in the files nor in their decompressed content. */
export function expectNoProviderKey(backup: string): void {
  const files = globSync('**', { cwd: backup, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    return name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes;
  });
  expect(contents.some((bytes) => bytes.includes('https://api.anthropic.example'))).toBe(true);
  // COPY writes bytes in hexadecimal.
  for (const spelling of [
    API_KEY,
    Buffer.from(API_KEY).toString('hex'),
    Buffer.from(API_KEY).toString('base64'),
  ])
    expect(contents.some((bytes) => bytes.includes(spelling))).toBe(false);
}

export async function expectProvider(url: string, key: string): Promise<void> {
  expect(await call(url, key, 'GET', PROVIDERS)).toMatchObject({
    status: 200,
    body: [{ ...PROVIDER, has_api_key: true }],
  });
}

/** @param secretKey of the restored server */
export async function expectProviderKey(client: pg.ClientBase, secretKey: string): Promise<void> {
  const columns = 'organization_id, name, key_id, wrapped_key, ciphertext';
  const [row] = (await client.query(`SELECT ${columns} FROM inference_providers`)).rows;
  const place = `inference_providers/${row.organization_id}/${row.name}`;
  expect(createVault(secretKey).open(row, place)).toBe(API_KEY);
}
