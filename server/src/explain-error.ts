/** Builds the message with which the server or a command ends when it cannot continue. */
import { ConfigError } from './config.ts';
import { BackupError } from './platform/backup/manifest.ts';
import { explainFileError } from './platform/data-directory.ts';
import { DataDirectoryError } from './platform/data-directory-error.ts';
import { ApiError } from './platform/errors.ts';

/** Errors that the operator can correct: their message says what is wrong and what to do. */
const FOR_OPERATORS = [ConfigError, DataDirectoryError, BackupError, ApiError];

/** Returns one sentence for errors that the operator can correct, and the stack for all others. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (FOR_OPERATORS.some((kind) => error instanceof kind)) return error.message;
  // The stack alone: errors carry connections, passwords and rows in their properties.
  return explainFileError(error) ?? error.stack ?? error.message;
}
