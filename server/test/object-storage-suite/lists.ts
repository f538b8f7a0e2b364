/** Lists, deletions and odd keys. */
import { describe, expect, test } from 'vitest';
import { ODD_KEYS } from '../odd-keys.ts';
import type { Workbench } from './workbench.ts';

export function describeLists(at: Workbench): void {
  const { nestsObjects = true } = at.options;

  describe('list and delete', () => {
    test('list returns objects in the order of their bytes, with their attributes', async () => {
      const prefix = at.newPrefix();
      // In the order of UTF-16 code units, the ship would come before the last character of the BMP.
      const nested = nestsObjects ? ['a', 'a/b'] : ['a'];
      const names = ['A', 'Z', ...nested, 'a0', 'b', 'é', '\uff5e', '🚢'];
      for (const name of names.toReversed()) await at.put(prefix + name, name);
      const found = await at.list(prefix);
      expect(found.map(({ key }) => key)).toEqual(names.map((name) => prefix + name));
      for (const { key, sizeBytes, etag } of found)
        expect(await at.storage.find(key)).toMatchObject({ sizeBytes, etag });
      expect(Math.abs((found[0]?.updatedAt.getTime() ?? 0) - Date.now())).toBeLessThan(300_000);
      expect(await at.listKeys(`${prefix}a`)).toEqual([...nested, 'a0'].map((name) => prefix + name));
      expect(await at.listKeys(`${prefix}none`)).toEqual([]);
    });

    test('list returns each of 1,234 objects once and in order, and delete removes them in one call', async () => {
      const prefix = at.newPrefix();
      const keys = Array.from({ length: 1_234 }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);
      for (let start = 0; start < keys.length; start += 50)
        await Promise.all(keys.slice(start, start + 50).map((key) => at.put(key, 'x')));
      expect(await at.listKeys(prefix)).toEqual(keys);
      await at.storage.delete(keys.slice(10));
      expect(await at.listKeys(prefix)).toEqual(keys.slice(0, 10));
    });

    test('delete accepts existing keys, missing keys and an empty list', async () => {
      const prefix = at.newPrefix();
      await at.put(`${prefix}a`, 'a');
      await at.put(`${prefix}b`, 'b');
      await at.storage.delete([`${prefix}a`, `${prefix}none`]);
      await at.storage.delete([]);
      expect(await at.listKeys(prefix)).toEqual([`${prefix}b`]);
    });

    test('deleteAll removes everything under a prefix and nothing beside it', async () => {
      const prefix = at.newPrefix();
      const inside = ['in/a', 'in/b/c', 'in/', 'in/ü+ '].map((name) => prefix + name);
      const beside = [...(nestsObjects ? ['in'] : []), 'in0', 'other/in/a'].map((name) => prefix + name);
      for (const key of [...inside, ...beside]) await at.put(key, 'x');
      expect(await at.storage.deleteUnder(`${prefix}in/`)).toBe(4);
      expect(new Set(await at.listKeys(prefix))).toEqual(new Set(beside));
      expect(await at.storage.deleteUnder(`${prefix}in/`)).toBe(0);
    });

    test.each(ODD_KEYS.filter((key) => !at.options.unusableKeys?.includes(key)).map((key) => [key]))(
      'the key %j is preserved',
      async (name) => {
        const prefix = at.newPrefix();
        const [key, copy, other] = [prefix + name, `${prefix}copy/${name}`, `${prefix}other`];
        await at.put(key, 'content');
        await at.put(other, 'other');
        expect(await at.read(key)).toMatchObject({ text: 'content', info: { key } });
        expect(await at.storage.copy(key, copy)).toMatchObject({ key: copy });
        expect(new Set(await at.listKeys(prefix))).toEqual(new Set([key, copy, other]));
        expect(await at.listKeys(key)).toContain(key);
        const response = await fetch(await at.storage.presignGet(key, { expiresInSeconds: 60 }));
        expect([response.status, await response.text()]).toEqual([200, 'content']);
        await at.storage.delete([key]);
        expect(await at.storage.deleteUnder(`${prefix}copy/`)).toBe(1);
        expect(await at.listKeys(prefix)).toEqual([other]);
      },
    );

    test('a key of 1,024 bytes is accepted', async () => {
      const prefix = at.newPrefix();
      const key = `${prefix}${`${'é'.repeat(60)}/`.repeat(8)}`;
      const long = key + 'x'.repeat(1_024 - Buffer.byteLength(key));
      await at.put(long, 'content');
      expect(await at.listKeys(prefix)).toEqual([long]);
      expect((await at.read(long)).text).toBe('content');
    });
  });
}
