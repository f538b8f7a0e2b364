/** Put, find and open: what is written is what is read. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { makeContent } from './large-content.ts';
import type { Workbench } from './workbench.ts';

const MIB = 2 ** 20;

export function describeContents(at: Workbench): void {
  describe('put, find and open', () => {
    test('find and open return what was put, with its attributes', async () => {
      const key = `${at.newPrefix()}a.txt`;
      const before = Date.now();
      const metadata = { purpose: 'test', 'with-dash': 'a, b; c=d' };
      const written = await at.storage.put(key, Buffer.from('content'), {
        contentType: 'text/x-odd; charset=utf-8',
        metadata,
      });
      expect(written).toMatchObject({
        key,
        sizeBytes: 7,
        etag: createHash('md5').update('content').digest('hex'),
        contentType: 'text/x-odd; charset=utf-8',
        metadata,
      });
      // Some stores keep only whole seconds, and some have clocks of their own.
      expect(written.updatedAt.getTime()).toBeGreaterThan(before - 10_000);
      expect(written.updatedAt.getTime()).toBeLessThan(Date.now() + 10_000);
      expect(await at.storage.find(key)).toEqual(written);
      const { info, text } = await at.read(key);
      expect(text).toBe('content');
      expect(info).toEqual(written);
    });

    test('put replaces content and attributes of an existing object', async () => {
      const key = `${at.newPrefix()}a.txt`;
      const first = await at.storage.put(key, Buffer.from('a long first content'), { metadata: { a: 'b' } });
      const second = await at.put(key, 'second');
      expect(second.etag).not.toBe(first.etag);
      expect(await at.read(key)).toMatchObject({ text: 'second', info: { sizeBytes: 6, metadata: {} } });
    });

    test('an empty object is a valid object', async () => {
      const prefix = at.newPrefix();
      await at.storage.put(`${prefix}bytes`, new Uint8Array());
      await at.storage.put(`${prefix}stream`, Readable.from([]));
      for (const name of ['bytes', 'stream'])
        expect(await at.read(prefix + name)).toMatchObject({ text: '', info: { sizeBytes: 0 } });
    });

    test('a stream of small chunks arrives in order', async () => {
      const key = `${at.newPrefix()}a.txt`;
      const pieces = Array.from({ length: 5_000 }, (_, index) => Buffer.from(`${index},`));
      expect(await at.storage.put(key, Readable.from(pieces))).toMatchObject({ sizeBytes: 23_890 });
      expect((await at.read(key)).text).toBe(Buffer.concat(pieces).toString());
    });

    test('find and open return undefined for a missing object', async () => {
      const prefix = at.newPrefix();
      await at.put(`${prefix}folder/a.txt`, 'content');
      for (const name of ['none.txt', 'folder', 'folder/a.txt/none', 'folder/a.tx'])
        expect([await at.storage.find(prefix + name), await at.storage.open(prefix + name)]).toEqual([
          undefined,
          undefined,
        ]);
    });

    test.each([
      ['first bytes', { start: 0, end: 2 }, '012'],
      ['bytes in the middle', { start: 3, end: 5 }, '345'],
      ['one byte', { start: 9, end: 9 }, '9'],
      ['to the end', { start: 7 }, '789'],
      ['beyond the end', { start: 8, end: 100 }, '89'],
    ])('open returns a range of %s', async (_what, range, expected) => {
      const key = `${at.newPrefix()}a.txt`;
      await at.put(key, '0123456789');
      const { info, text } = await at.read(key, range);
      expect(text).toBe(expected);
      expect(info).toMatchObject({ key, sizeBytes: 10 });
    });

    test('open fails for a range that begins behind the end', async () => {
      const key = `${at.newPrefix()}a.txt`;
      await at.put(key, '0123456789');
      await expect(at.storage.open(key, { start: 10 })).rejects.toMatchObject({
        type: 'object_storage_error',
      });
    });

    test('a reader may stop early', async () => {
      const key = `${at.newPrefix()}large`;
      await at.storage.put(key, makeContent(20 * MIB).stream);
      for (let round = 0; round < 5; round++) (await at.storage.open(key))?.body.destroy();
      const { body } = await at.open(key);
      for await (const chunk of body) {
        expect((chunk as Buffer).length).toBeGreaterThan(0);
        break;
      }
      expect(await at.storage.find(key)).toMatchObject({ sizeBytes: 20 * MIB });
    });
  });
}
