/** Presigned links that any client can use for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Workbench } from './workbench.ts';

/** Enough to be used on a busy machine, and less than the suite takes. */
const SHORT_SECONDS = 5;

export function describeLinks(at: Workbench): void {
  describe('presigned links', () => {
    test('read one object for any client', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.storage.put(key, Buffer.from('0123456789'), { contentType: 'text/x-odd' });
      const url = await at.storage.presignGet(key, { expiresInSeconds: 60 });
      const response = await fetch(url);
      expect([response.status, await response.text()]).toEqual([200, '0123456789']);
      expect(response.headers.get('content-type')).toBe('text/x-odd');
      const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
      expect([part.status, await part.text()]).toEqual([206, '234']);
      const other = await fetch(url.replace('a.txt', 'b.txt'));
      expect(other.status).toBe(403);
      expect((await fetch(url, { method: 'PUT', body: 'changed' })).status).toBe(403);
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    });

    test('may set the file name and the content type of a download', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.put(key, 'content');
      const filename = 'Übersicht "1" 100%; a=b.txt';
      const url = await at.storage.presignGet(key, {
        expiresInSeconds: 60,
        filename,
        contentType: 'text/x-other',
      });
      const response = await fetch(url);
      expect(response.headers.get('content-type')).toBe('text/x-other');
      const disposition = response.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; /);
      expect(decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? '')).toBe(filename);
    });

    test('write one object of the announced size for any client', async () => {
      const key = `${at.newPrefix()}a.txt`;
      const url = await at.storage.presignPut(key, { expiresInSeconds: 60, sizeBytes: 6 });
      const headers = { 'content-type': 'text/x-odd' };
      expect((await fetch(url, { method: 'PUT', body: 'first!', headers })).status).toBe(200);
      expect((await fetch(url, { method: 'PUT', body: 'second', headers })).status).toBe(200);
      expect(await at.read(key)).toMatchObject({ text: 'second', info: { contentType: 'text/x-odd' } });
      expect((await fetch(url, { method: 'PUT', body: 'longer!', headers })).status).toBe(403);
      expect((await fetch(url)).status).toBe(403);
      expect((await fetch(url.replace('a.txt', 'b.txt'), { method: 'PUT', body: 'x' })).status).toBe(403);
    });

    describe('that were used', () => {
      let key: string;
      let url: string;
      beforeAll(async () => {
        key = `${at.newPrefix()}a.txt`;
        await at.put(key, 'content');
        await at.put(key.replace('a.txt', 'b.txt'), 'other');
        url = await at.storage.presignGet(key, { expiresInSeconds: 60 });
        expect((await fetch(url)).status).toBe(200);
      });

      test('read again, as in S3', async () => {
        const again = await fetch(url);
        expect([again.status, await again.text()]).toEqual([200, 'content']);
      });

      test.each<[string, (url: string) => string, RequestInit?]>([
        ['another key', (used) => used.replace('a.txt', 'b.txt')],
        ['a verb that writes', (used) => used, { method: 'PUT', body: 'changed' }],
        ['a verb that deletes', (used) => used, { method: 'DELETE' }],
        ['a verb that begins an upload', (used) => used.replace('?', '?uploads&'), { method: 'POST' }],
        ['a later end', (used) => used.replace(/(X-Amz-Expires=)\d+/, '$13600')],
        ['another moment', (used) => used.replace(/\dZ&/, (end) => (end === '0Z&' ? '1Z&' : '0Z&'))],
        ['another type of the answer', (used) => `${used}&response-content-type=text%2Fhtml`],
        ['what it asks for', (used) => `${used}&acl`],
      ])('are refused with %s', async (_what, change, init) => {
        expect((await fetch(change(url), init)).status).toBe(403);
        expect((await at.read(key)).text).toBe('content');
      });
    });
  });
}

/** Created and used when the whole suite begins, so that the rest of it runs while they expire. */
export function describeEndOfLinks(at: Workbench): void {
  const key = `${at.newPrefix()}a.txt`;
  let links: { readonly reading: string; readonly writing: string; readonly endsAt: number };

  beforeAll(async () => {
    await at.put(key, 'content');
    const expiresInSeconds = SHORT_SECONDS;
    const reading = await at.storage.presignGet(key, { expiresInSeconds });
    const writing = await at.storage.presignPut(key, { expiresInSeconds, sizeBytes: 'written'.length });
    links = { reading, writing, endsAt: Date.now() + 1_000 * (expiresInSeconds + 1) };
    expect((await fetch(reading)).status).toBe(200);
    expect((await fetch(writing, { method: 'PUT', body: 'written' })).status).toBe(200);
  });

  test('links that worked are refused after their expiry', async () => {
    await sleep(Math.max(0, links.endsAt - Date.now()));
    expect((await fetch(links.reading)).status).toBe(403);
    expect((await fetch(links.writing, { method: 'PUT', body: 'changed' })).status).toBe(403);
    expect((await at.read(key)).text).toBe('written');
  });
}
