/** The store under test, with helpers for most checks. */
import { buffer } from 'node:stream/consumers';
import type {
  ByteRange,
  ObjectInfo,
  ObjectStorage,
} from '../../src/platform/object-storage/object-storage.ts';

export interface SuiteOptions {
  /** Keys that the store rejects by its own rules. */
  readonly unusableKeys?: readonly string[];
  /** Whether `a` and `a/b` may both exist; a store of plain files shows only one of them. */
  readonly nestsObjects?: boolean;
  /** Operations that the store refuses to temporary credentials even under their prefix, because its check is too coarse. */
  readonly refusedInside?: readonly RefusedInside[];
  /** Whether the store detects a modified session token. One that does not cannot isolate tenants. */
  readonly guardsTokens?: boolean;
  /** Whether unfinished uploads can be listed by prefix; some stores list only those of one key. */
  readonly findsUploads?: boolean;
}

export type RefusedInside = 'deleteMany' | 'copyPart';

export class Workbench {
  readonly root: string;
  readonly options: SuiteOptions;
  private readonly getStorage: () => ObjectStorage;
  private prefixes = 0;

  /** @param getStorage called when everything is running */
  constructor(root: string, getStorage: () => ObjectStorage, options: SuiteOptions) {
    this.root = root;
    this.getStorage = getStorage;
    this.options = options;
  }

  get storage(): ObjectStorage {
    return this.getStorage();
  }

  /** A separate prefix for each test. */
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
