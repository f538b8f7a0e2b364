/** What the suite asks of every S3 client, each in its own way. */

import type { S3Access } from '../workspace-storage.ts';

export interface Facts {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface S3TestClient {
  put(file: string, key: string, facts?: Facts): Promise<void>;
  get(key: string, file: string): Promise<void>;
  /** Every file below the folder, under the prefix and its path. */
  putFolder(folder: string, prefix: string): Promise<void>;
  getFolder(prefix: string, folder: string): Promise<void>;
  stat(key: string): Promise<Facts & { readonly sizeBytes: number }>;
  /** Whole keys directly below the prefix, and the common prefixes there. */
  list(prefix: string): Promise<{ readonly keys: string[]; readonly folders: string[] }>;
  listAll(prefix: string): Promise<string[]>;
  copy(from: string, to: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** In one request, as many as one takes at the most. */
  deleteKeys(keys: readonly string[]): Promise<void>;
  deleteUnder(prefix: string): Promise<void>;
  presignGet(key: string, seconds: number): Promise<string>;
}

/** What a client cannot do by its own making, whatever the server: each with its reason. */
export interface Limits {
  /** Keys that it cannot say, or that it changes before it sends them. */
  readonly keys?: readonly { readonly like: RegExp; readonly reason: string }[];
  readonly presignGet?: string;
  readonly deleteKeys?: string;
}

export interface S3ClientKind {
  readonly title: string;
  /** The file that is run; undefined where it is not installed, null for a library. */
  readonly program: string | null | undefined;
  readonly limits: Limits;
  /** @param home an empty folder for whatever it wants to keep */
  open(access: S3Access, home: string): S3TestClient;
}

/** Relative to the folder or prefix that was asked for: absolute keys of what a client tells by relative names. */
export const below = (prefix: string, names: readonly string[]) => names.map((name) => prefix + name);
