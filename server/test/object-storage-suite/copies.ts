/** Copies within the store. */
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { makeContent } from './large-content.ts';
import type { Workbench } from './workbench.ts';

const MIB = 2 ** 20;

export function describeCopies(at: Workbench): void {
  describe('copy', () => {
    test('keeps content and attributes', async () => {
      const prefix = at.newPrefix();
      const from = await at.storage.put(`${prefix}a`, Buffer.from('content'), {
        contentType: 'text/x-copied',
        metadata: { a: 'b' },
      });
      const copied = await at.storage.copy(`${prefix}a`, `${prefix}b`);
      expect(copied).toMatchObject({
        key: `${prefix}b`,
        sizeBytes: 7,
        etag: from.etag,
        contentType: 'text/x-copied',
        metadata: { a: 'b' },
      });
      await at.storage.delete([`${prefix}a`]);
      expect((await at.read(`${prefix}b`)).text).toBe('content');
    });

    test('replaces an existing object and the source itself', async () => {
      const prefix = at.newPrefix();
      await at.put(`${prefix}a`, 'new');
      await at.put(`${prefix}b`, 'old');
      await at.storage.copy(`${prefix}a`, `${prefix}b`);
      expect((await at.read(`${prefix}b`)).text).toBe('new');
      expect(await at.storage.copy(`${prefix}a`, `${prefix}a`)).toMatchObject({ sizeBytes: 3 });
      expect((await at.read(`${prefix}a`)).text).toBe('new');
    });

    test('reports a missing source', async () => {
      const prefix = at.newPrefix();
      await expect(at.storage.copy(`${prefix}none`, `${prefix}b`)).rejects.toMatchObject({
        type: 'not_found_error',
      });
      expect(await at.storage.find(`${prefix}b`)).toBeUndefined();
    });

    test('copies an object that was uploaded in parts', async () => {
      const prefix = at.newPrefix();
      const content = makeContent(20 * MIB);
      await at.storage.put(`${prefix}a`, content.stream, { metadata: { a: 'b' } });
      const copied = await at.storage.copy(`${prefix}a`, `${prefix}b`);
      expect(copied).toMatchObject({ sizeBytes: 20 * MIB, metadata: { a: 'b' } });
      const { body } = await at.open(`${prefix}b`);
      const sha256 = createHash('sha256')
        .update(await buffer(body))
        .digest('hex');
      expect(sha256).toBe(content.sha256());
    });
  });
}
