/** The store under test, with what most checks need. */
import { buffer } from 'node:stream/consumers';
import type {
  ByteRange,
  ObjectInfo,
  ObjectStorage,
} from '../../src/platform/object-storage/object-storage.ts';

export interface SuiteOptions {
  /** Keys that the store cannot hold, by its own rules. */
  readonly unusableKeys?: readonly string[];
  /** Whether there may be both `a` and `a/b`; a store of plain files shows only one of them. */
  readonly nestsObjects?: boolean;
  /** What the store refuses to temporary credentials even under their prefix, because it does not look closely enough. */
  readonly refusedInside?: readonly RefusedInside[];
  /** Whether the store sees that a session token was changed. One that does not is no guard between tenants. */
  readonly guardsTokens?: boolean;
  /** Whether the unfinished uploads under a prefix can be found; some stores find those of one key only. */
  readonly findsUploads?: boolean;
}

export type RefusedInside = 'deleteMany' | 'copyPart';

export class Workbench {
  readonly root: string;
  readonly options: SuiteOptions;
  private readonly getStorage: () => ObjectStorage;
  private prefixes = 0;

  /** @param getStorage is asked once everything is up */
  constructor(root: string, getStorage: () => ObjectStorage, options: SuiteOptions) {
    this.root = root;
    this.getStorage = getStorage;
    this.options = options;
  }

  get storage(): ObjectStorage {
    return this.getStorage();
  }

  /** A place of its own for each test. */
  newPrefix(): string {
    return `${this.root}${this.prefixes++}/`;
  }

  put(key: string, text: string): Promise<ObjectInfo> {
    return this.storage.put(key, Buffer.from(text));
  }

  async open(key: string, range?: ByteRange) {
    const opened = await this.storage.open(key, range);
    if (!opened) throw new Error(`${key} is not there`);
    return opened;
  }

  async read(key: string, range?: ByteRange) {
    const { info, body } = await this.open(key, range);
    return { info, text: (await buffer(body)).toString() };
  }

  async list(prefix: string): Promise<ObjectInfo[]> {
    const found: ObjectInfo[] = [];
    for await (const info of this.storage.list(prefix)) found.push(info);
    return found;
  }

  async listKeys(prefix: string): Promise<string[]> {
    return (await this.list(prefix)).map(({ key }) => key);
  }
}
