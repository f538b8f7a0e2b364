/** The interface of the suite to every S3 client. */

import type { S3Access } from '../workspace-storage.ts';

export interface Facts {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface S3TestClient {
  put(file: string, key: string, facts?: Facts): Promise<void>;
  get(key: string, file: string): Promise<void>;
  /** Uploads every file below the folder, under the prefix and its path. */
  putFolder(folder: string, prefix: string): Promise<void>;
  getFolder(prefix: string, folder: string): Promise<void>;
  stat(key: string): Promise<Facts & { readonly sizeBytes: number }>;
  /** Complete keys directly below the prefix, and the common prefixes there. */
  list(prefix: string): Promise<{ readonly keys: string[]; readonly folders: string[] }>;
  listAll(prefix: string): Promise<string[]>;
  copy(from: string, to: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes in one request as many keys as one allows. */
  deleteKeys(keys: readonly string[]): Promise<void>;
  deleteUnder(prefix: string): Promise<void>;
  presignGet(key: string, seconds: number): Promise<string>;
}

/** Limitations of a client itself, independent of the server, with their reasons. */
export interface Limits {
  /** Keys that it cannot express, or that it changes before it sends them. */
  readonly keys?: readonly { readonly like: RegExp; readonly reason: string }[];
  readonly presignGet?: string;
  readonly deleteKeys?: string;
}

export interface S3ClientKind {
  readonly title: string;
  /** The executable; undefined if it is not installed, null for a library. */
  readonly program: string | null | undefined;
  readonly limits: Limits;
  /** @param home an empty folder for the client's files */
  open(access: S3Access, home: string): S3TestClient;
}

/** Converts names relative to the requested folder or prefix to absolute keys. */
export const below = (prefix: string, names: readonly string[]) => names.map((name) => prefix + name);
