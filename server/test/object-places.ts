/** Databases with an embedded store, filled with objects of every kind, for backup and restore tests. */
import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { EmbeddedStore } from '../src/platform/object-storage/embedded/embedded-store.ts';
import { claimStoreFolder } from '../src/platform/object-storage/embedded/folder/store-folder.ts';
import type { Upload } from '../src/platform/object-storage/embedded/uploads.ts';
import { createDatabase } from './databases.ts';
import { readObject } from './embedded-stores.ts';
import { atEndOfFile } from './end-of-file.ts';
import { newDataDir } from './processes.ts';

export interface Place {
  readonly url: string;
  readonly dataDir: string;
  /** Settings of its servers and commands. */
  readonly given: Record<string, string>;
}

export interface OpenPlace extends Place {
  readonly db: Db;
  readonly folder: string;
  readonly store: EmbeddedStore;
}

const MIB = 1024 * 1024;
const log = createLog('fatal');

/** @param template an empty database with `template0` */
export async function newPlace(template?: string): Promise<Place> {
  const { url, drop } = await createDatabase(inject('databaseUrl'), template);
  atEndOfFile(drop);
  return placeOf(url, newDataDir());
}

export function placeOf(url: string, dataDir: string): Place {
  const DRYDOCK_SECRET_KEY = 'of these tests, and long enough to be one';
  return { url, dataDir, given: { DATABASE_URL: url, DRYDOCK_DATA_DIR: dataDir, DRYDOCK_SECRET_KEY } };
}

/** Opens the place as every starting server does. */
export async function openPlace(place: Place): Promise<OpenPlace> {
  const db = openDb(place);
  const folder = await claimStoreFolder({ db, dataDir: place.dataDir });
  return { ...place, db, folder, store: new EmbeddedStore({ db, folder }) };
}

export function openDb({ url }: Place): Db {
  const db = connect({ url, poolSize: 8, namedStatements: true, log });
  atEndOfFile(() => db.destroy());
  return db;
}

/** Header values as a UTF-8 client sends them: one character for each byte. */
export const DESCRIBED = {
  headers: {
    'content-type': 'text/x-ship',
    'cache-control': 'max-age=7',
    'content-language': 'is',
    expires: 'Wed, 01 Dec 2094 16:00:00 GMT',
  },
  metadata: { captain: Buffer.from('Ásta').toString('latin1'), 'with-dash': 'a, b; c=d' },
};

export interface Filled {
  /** Contents of the objects and of the upload, by key. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** An upload of two parts, the second of which is empty. */
  readonly unfinished: Upload;
}

export async function fill({ store }: OpenPlace): Promise<Filled> {
  const contents = new Map<string, Buffer>();
  const put = async (key: string, content: Buffer) => {
    await store.putObject({ key, body: [content], ...DESCRIBED });
    contents.set(key, content);
  };
  await put('empty', Buffer.alloc(0));
  await put('orgs/ö 🚢/+%"\\\t&/', Buffer.from('odd'));
  await put('large', randomBytes(9 * MIB + 1));
  for (let n = 0; n < 200; n++) await put(`small/${n}`, randomBytes(1 + n));
  await store.copyObject('large', (source) => ({ ...source, key: 'copy' }));
  contents.set('copy', contents.get('large') ?? Buffer.alloc(0));

  const upload = async (key: string, parts: readonly Buffer[]) => {
    const begun = await store.uploads.create({ key, ...DESCRIBED });
    for (const [index, part] of parts.entries()) await store.putPart(begun, index + 1, { body: [part] });
    contents.set(key, Buffer.concat(parts));
    return begun;
  };
  const whole = await upload('in parts', [randomBytes(MIB), randomBytes(MIB + 1), Buffer.alloc(0)]);
  const parts = await store.uploads.listParts(whole, { limit: 9 });
  await store.uploads.complete(whole, parts, { etag: 'of-3', checksum: undefined });
  const unfinished = await upload('unfinished', [randomBytes(MIB), Buffer.alloc(0)]);
  return { contents, unfinished };
}

/** Returns all attributes and the content of every object. */
export async function describeObjects({ db, store }: Pick<OpenPlace, 'db' | 'store'>) {
  const rows = await db.selectFrom('stored_objects').select('key').orderBy('key').execute();
  const found = [];
  for (const { key } of rows) {
    const object = await store.index.find(key);
    if (!object) throw new Error(`${key} has gone`);
    found.push({ ...object, sha256: digest((await readObject(store, key)) ?? '') });
  }
  return found;
}

export const digest = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');

export const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));

/** Paths of all files, however deep. */
export const filesIn = (folder: string) =>
  globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
