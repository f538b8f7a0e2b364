/** What the server and its commands say when they cannot go on. */
import { ConfigError } from './config.ts';
import { BackupError } from './platform/backup/manifest.ts';
import { explainFileError } from './platform/data-directory.ts';
import { DataDirectoryError } from './platform/data-directory-error.ts';
import { ApiError } from './platform/errors.ts';

const FOR_PEOPLE = [ConfigError, DataDirectoryError, BackupError, ApiError];

/** What a person can mend gets a sentence; everything else shows where it came from. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (FOR_PEOPLE.some((kind) => error instanceof kind)) return error.message;
  // The stack alone: errors carry connections, passwords and rows in their properties.
  return explainFileError(error) ?? error.stack ?? error.message;
}
