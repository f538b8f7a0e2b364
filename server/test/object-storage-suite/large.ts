/** Content larger than the allowed memory, and content that breaks off. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { LiveMemory } from '../live-memory.ts';
import { makeContent } from './large-content.ts';
import type { Workbench } from './workbench.ts';

const MIB = 2 ** 20;

export function describeLargeContent(at: Workbench): void {
  describe('large content', () => {
    test('passes through without being buffered (64 MB)', async () => {
      const key = `${at.newPrefix()}large`;
      const memory = new LiveMemory('buffers');
      const content = makeContent(64 * MIB, () => memory.measure());
      const written = await at.storage.put(key, content.stream, { contentType: 'application/x-large' });
      expect(written).toMatchObject({ sizeBytes: 64 * MIB, contentType: 'application/x-large' });
      const hash = createHash('sha256');
      let bytes = 0;
      const { body } = await at.open(key);
      for await (const chunk of body) {
        hash.update(chunk as Buffer);
        const before = bytes;
        bytes += (chunk as Buffer).length;
        if (Math.floor(before / (16 * MIB)) !== Math.floor(bytes / (16 * MIB))) memory.measure();
      }
      expect([bytes, hash.digest('hex')]).toEqual([64 * MIB, content.sha256()]);
      expect(memory.peakMib).toBeLessThan(48);
      const tail = await at.open(key, { start: 50 * MIB, end: 50 * MIB + 9 });
      expect(await buffer(tail.body)).toEqual(content.at(50 * MIB, 10));
    });

    test.each([1, 20])('leaves nothing behind when its stream fails after %d MB', async (mib) => {
      const key = `${at.newPrefix()}failed`;
      const failure = new Error('the source is gone');
      const source = Readable.from(
        (async function* () {
          yield* makeContent(mib * MIB).stream;
          throw failure;
        })(),
      );
      await expect(at.storage.put(key, source)).rejects.toBe(failure);
      expect(await at.storage.find(key)).toBeUndefined();
      expect(await at.listKeys(key)).toEqual([]);
    });

    test('leaves the existing object unchanged when its stream fails', async () => {
      const key = `${at.newPrefix()}kept`;
      await at.put(key, 'kept');
      const source = new Readable({ read() {} });
      const putting = at.storage.put(key, source);
      source.push(Buffer.alloc(MIB));
      source.destroy(new Error('the source is gone'));
      await expect(putting).rejects.toThrow('the source is gone');
      expect((await at.read(key)).text).toBe('kept');
    });
  });
}
