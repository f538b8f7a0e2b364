/**
 * Replaces the secret key of the data directory. The next key is stored beside the current one before the first row is sealed with it, and
 * replaces it in one step after the last. Until then a starting server knows both.
 */
import { randomBytes } from 'node:crypto';
import { chownSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from '../data-directory-error.ts';
import type { Db } from '../db/connect.ts';
import { createVault } from './envelope.ts';
import { type Rewrapped, rewrapAll, type SealedTable } from './rewrap.ts';
import { findKeptKey, KEY_FILE, keepKey, NEXT_KEY_FILE, syncFolder } from './secret-key.ts';

export async function rotateKeptKey(
  db: Db,
  dataDir: string,
  tables: readonly SealedTable[],
): Promise<Rewrapped> {
  const current = findKeptKey(dataDir);
  if (!current) {
    throw new DataDirectoryError(
      `There is no secret key in ${dataDir}. If the server gets its key as DRYDOCK_SECRET_KEY, give it to this command too.`,
    );
  }
  // An existing file is the key with which an interrupted rotation has begun.
  const next =
    findKeptKey(dataDir, NEXT_KEY_FILE) ??
    keepKey(dataDir, randomBytes(48).toString('base64url'), NEXT_KEY_FILE);
  keepOwner(dataDir);
  const done = await rewrapAll(db, createVault(next, current), tables);
  renameSync(join(dataDir, NEXT_KEY_FILE), join(dataDir, KEY_FILE));
  syncFolder(dataDir);
  return done;
}

/** If root runs this, the key must stay readable for the user who runs the server. */
function keepOwner(dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(join(dataDir, KEY_FILE));
  chownSync(join(dataDir, NEXT_KEY_FILE), uid, gid);
}
