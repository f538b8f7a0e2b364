/** The storage of a test server: its folder is created and its gateway listens at the first use. */

import type { OpenStorage } from '../src/open-storage.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';

type Opened = Pick<OpenStorage, 'storage' | 'close'>;

const ignore = () => undefined;

/** Most test files store no object, and a store takes 256 folders and a port. */
export function lazyStorage(open: () => Promise<Opened>): Opened {
  let opening: Promise<Opened> | undefined;
  const use = async () => (await (opening ??= open())).storage;
  const storage: ObjectStorage = {
    bucket: 'drydock',
    get endpoint(): string {
      throw new Error('The address of a gateway that may not listen yet is not known.');
    },
    put: async (key, body, attributes) => {
      // A stream that breaks while the store opens must not end the process; its reader still gets the error.
      const stream = body instanceof Uint8Array ? undefined : body;
      stream?.on('error', ignore);
      const opened = await use();
      stream?.off('error', ignore);
      return opened.put(key, body, attributes);
    },
    find: async (key) => (await use()).find(key),
    open: async (key, range) => (await use()).open(key, range),
    copy: async (from, to) => (await use()).copy(from, to),
    delete: async (keys) => (await use()).delete(keys),
    deleteUnder: async (prefix) => (await use()).deleteUnder(prefix),
    list: async function* (prefix) {
      yield* (await use()).list(prefix);
    },
    presignGet: async (key, options) => (await use()).presignGet(key, options),
    presignPut: async (key, options) => (await use()).presignPut(key, options),
    issueCredentials: async (grant, seconds) => (await use()).issueCredentials(grant, seconds),
    check: async () => (await use()).check(),
    close: async () => (await use()).close(),
  };
  // A storage that could not be opened, for example because its database is gone, has nothing to close.
  const opened = async () => opening?.catch(() => undefined);
  return { storage, close: async () => (await opened())?.close() };
}
