/** Links that anyone can use for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Workbench } from './workbench.ts';

export function describeLinks(at: Workbench): void {
  describe('links', () => {
    test('a link reads one object, for anyone', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.storage.put(key, Buffer.from('0123456789'), { contentType: 'text/x-odd' });
      const url = await at.storage.presignGet(key, { expiresInSeconds: 60 });
      const answer = await fetch(url);
      expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
      expect(answer.headers.get('content-type')).toBe('text/x-odd');
      const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
      expect([part.status, await part.text()]).toEqual([206, '234']);
      const other = await fetch(url.replace('a.txt', 'b.txt'));
      expect(other.status).toBe(403);
      expect((await fetch(url, { method: 'PUT', body: 'changed' })).status).toBe(403);
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    });

    test('a link may say under which name and as what it is saved', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.put(key, 'content');
      const filename = 'Übersicht "1" 100%; a=b.txt';
      const url = await at.storage.presignGet(key, {
        expiresInSeconds: 60,
        filename,
        contentType: 'text/x-other',
      });
      const answer = await fetch(url);
      expect(answer.headers.get('content-type')).toBe('text/x-other');
      const disposition = answer.headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; /);
      expect(decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1] ?? '')).toBe(filename);
    });

    test('a link writes one object, for anyone', async () => {
      const key = `${at.newPrefix()}a.txt`;
      const url = await at.storage.presignPut(key, { expiresInSeconds: 60 });
      const headers = { 'content-type': 'text/x-odd' };
      expect((await fetch(url, { method: 'PUT', body: 'first', headers })).status).toBe(200);
      expect((await fetch(url, { method: 'PUT', body: 'second', headers })).status).toBe(200);
      expect(await at.read(key)).toMatchObject({ text: 'second', info: { contentType: 'text/x-odd' } });
      expect((await fetch(url)).status).toBe(403);
      expect((await fetch(url.replace('a.txt', 'b.txt'), { method: 'PUT', body: 'x' })).status).toBe(403);
    });

    test('a link ends', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.put(key, 'content');
      const reading = await at.storage.presignGet(key, { expiresInSeconds: 1 });
      const writing = await at.storage.presignPut(key, { expiresInSeconds: 1 });
      await sleep(3_000);
      expect((await fetch(reading)).status).toBe(403);
      expect((await fetch(writing, { method: 'PUT', body: 'changed' })).status).toBe(403);
      expect((await at.read(key)).text).toBe('content');
    });
  });
}
