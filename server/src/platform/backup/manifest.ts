/** The manifest of a backup, which describes the content of its folder. It is written last: a folder without it is not a backup. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The request is impossible with this folder, key or database; the message says what to do instead. */
export class BackupError extends Error {}

/** Incremented when an older Drydock could no longer read the format. */
const FORMAT = 1;

const identifier = z.string().regex(/^[a-z_][a-z0-9_]*$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const ManifestFile = z.object({
  format: z.literal(FORMAT),
  drydock_version: z.string(),
  postgres_version: z.string(),
  /** The moment of which the backup holds the state. */
  snapshot_at: z.string(),
  /** The key that the sealed rows need; null when there was no key and nothing was sealed. */
  secret_key: z.object({ key_id: z.string(), sha256: sha256.nullable() }).nullable(),
  /** Other keys that some rows are sealed with: the key was being rotated. */
  other_key_ids: z.array(z.string()),
  migrations: z.array(z.object({ version: z.int(), name: z.string(), checksum: z.string() })),
  tables: z.array(
    z.object({
      name: identifier,
      columns: z.array(identifier).min(1),
      /** Partitions that hold the table's rows, created before the restore so that rows need not be moved later. */
      partitions: z.array(identifier).default([]),
      rows: z.int().min(0),
      bytes: z.int().min(0),
      sha256,
    }),
  ),
  /** The objects that the rows refer to; null if no object store was known yet. */
  objects: z
    .discriminatedUnion('store', [
      /** The objects are files in the folder, which the list names. */
      z.object({
        store: z.literal('embedded'),
        files: z.int().min(0),
        bytes: z.int().min(0),
        list: z.object({ bytes: z.int().min(0), sha256 }),
      }),
      /** The objects are not in the folder: they stay in the bucket. */
      z.object({ store: z.literal('s3'), bucket: z.string() }),
    ])
    .nullable()
    .default(null),
});

export type Manifest = z.output<typeof ManifestFile>;
export type BackedUpTable = Manifest['tables'][number];
export type BackedUpObjects = Extract<Manifest['objects'], { store: 'embedded' }>;
export type NewManifest = Omit<Manifest, 'format'>;

export const MANIFEST_FILE = 'manifest.json';
export const SECRET_KEY_FILE = 'secret-key';
export const TABLES_FOLDER = 'tables';
export const OBJECTS_FOLDER = 'objects';
export const OBJECT_LIST_FILE = 'objects.list.zst';

export function tableFile(folder: string, table: string): string {
  return join(folder, TABLES_FOLDER, `${table}.copy.zst`);
}

export function printManifest(manifest: NewManifest): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`;
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
    throw new BackupError(`${folder} holds no complete backup: there is no ${MANIFEST_FILE} in it.`, {
      cause,
    });
  });
  const given = parseJson(path, text);
  const { format } = z.object({ format: z.int() }).catch({ format: FORMAT }).parse(given);
  if (format > FORMAT) {
    throw new BackupError(
      `${path} has format ${format}; this Drydock reads up to ${FORMAT}. Restore it with a newer release.`,
    );
  }
  const parsed = ManifestFile.safeParse(given);
  if (!parsed.success) throw new BackupError(`${path} is damaged:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BackupError(`${path} is damaged: it is not valid JSON.`, { cause });
  }
}
