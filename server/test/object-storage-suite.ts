/** Behaviour required of every object-storage driver, tested on real stores. */
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { describeContents } from './object-storage-suite/contents.ts';
import { describeCopies } from './object-storage-suite/copies.ts';
import { describeCredentials } from './object-storage-suite/credentials.ts';
import { describeLargeContent } from './object-storage-suite/large.ts';
import { describeEndOfLinks, describeLinks } from './object-storage-suite/links.ts';
import { describeLists } from './object-storage-suite/lists.ts';
import { type SuiteOptions, Workbench } from './object-storage-suite/workbench.ts';

/** @param getStorage called when everything is running */
export function describeObjectStorage(
  name: string,
  getStorage: () => ObjectStorage,
  options: SuiteOptions = {},
): void {
  describe(name, () => {
    const at = new Workbench(`suite-${randomBytes(6).toString('hex')}/`, getStorage, options);

    afterAll(async () => {
      await at.storage.deleteUnder(at.root);
      expect(await at.listKeys(at.root)).toEqual([]);
    });

    test('the storage is available', async () => {
      await expect(at.storage.check()).resolves.toBeUndefined();
    });

    describeContents(at);
    describeLargeContent(at);
    describeCopies(at);
    describeLists(at);
    describeLinks(at);
    describeCredentials(at);
    describeEndOfLinks(at);
  });
}
