import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The key that signs tokens and seals secrets: the given one, else the one kept in the data directory. */
export function readSecretKey({
  secretKey,
  dataDir,
}: {
  secretKey: string | undefined;
  dataDir: string;
}): string {
  if (secretKey) return secretKey;
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'secret-key');
  try {
    writeFileSync(path, randomBytes(48).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
