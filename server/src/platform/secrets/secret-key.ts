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

const MIN_LENGTH = 32;

/** The key that signs tokens and seals secrets: the given one, else the one kept in the data directory. */
export function readSecretKey({
  secretKey,
  dataDir,
}: {
  secretKey: string | undefined;
  dataDir: string;
}): string {
  if (secretKey) return secretKey;
  const path = join(dataDir, 'secret-key');
  const key = read(path) ?? create(dataDir, path);
  if (key.length < MIN_LENGTH) {
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

/** On disk before it has its name: a kill in between leaves no half of a key. */
function create(dataDir: string, path: string): string {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, randomBytes(48).toString('base64url'));
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was first
  } finally {
    rmSync(draft);
  }
  return readFileSync(path, 'utf8').trim();
}
