/** Verifies files of a backup against its manifest and its lists. */
import type { Digest } from './digests.ts';
import { BackupError } from './manifest.ts';

export async function requireFile<T>(path: string, reading: Promise<T>): Promise<T> {
  return reading.catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw new BackupError(`The backup is not whole: ${path} is missing. Nothing was restored.`, { cause });
  });
}

export function requireSame(path: string, found: Digest, expected: Digest): void {
  if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256) throw damaged(path);
}

export const damaged = (path: string) =>
  new BackupError(
    `The backup is damaged: ${path} is not what was written. Nothing was restored; use another copy of it.`,
  );
