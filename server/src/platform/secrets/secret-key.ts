import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryError } from '../data-directory-error.ts';
import type { Log } from '../log.ts';

const MIN_LENGTH = 32;

export const KEY_FILE = 'secret-key';
/** Lies beside the key while a rotation is in progress. */
export const NEXT_KEY_FILE = 'secret-key.next';

export interface SecretKeys {
  /** The key that signs and seals. */
  readonly current: string;
  /** The previous or the next key, whose signatures and sealed secrets are valid too. */
  readonly other: string | undefined;
}

interface KeySettings {
  readonly secretKey: string | undefined;
  readonly previousSecretKey: string | undefined;
  readonly dataDir: string;
}

export function readSecretKeys(settings: KeySettings, log: Log): SecretKeys {
  const current = readSecretKey(settings);
  if (settings.secretKey) return { current, other: settings.previousSecretKey };
  const other = findKeptKey(settings.dataDir, NEXT_KEY_FILE);
  if (other)
    log.warn(
      'a rotation of the secret key was interrupted: stop the server, run "npm run rotate-secret-key"',
    );
  return { current, other };
}

/** Returns the key that signs tokens and seals secrets: the configured one, or else the one in the data directory. */
export function readSecretKey({
  secretKey,
  dataDir,
}: {
  secretKey: string | undefined;
  dataDir: string;
}): string {
  if (secretKey) return secretKey;
  return findKeptKey(dataDir) ?? keepKey(dataDir, randomBytes(48).toString('base64url'));
}

/** Returns the key in the data directory, if there is one. */
export function findKeptKey(dataDir: string, file = KEY_FILE): string | undefined {
  const path = join(dataDir, file);
  const key = read(path);
  if (key !== undefined && key.length < MIN_LENGTH) {
    throw new DataDirectoryError(
      `${path} is damaged: it holds ${key.length} characters. Restore it from a backup. ` +
        'Without it all tokens are void and stored secrets are lost; to accept that, delete the file and start again.',
    );
  }
  return key;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Stores this key unless one is already stored, and returns the stored one. It is on disk before it has its name: a kill in between leaves
 * no partial key.
 */
export function keepKey(dataDir: string, key: string, name = KEY_FILE): string {
  const path = join(dataDir, name);
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, key);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
    syncFolder(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process has stored one first
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}

/** A name is on disk only after its folder was synced. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  fsyncSync(folder);
  closeSync(folder);
}
