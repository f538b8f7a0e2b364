/** What every command is made of: the server's own configuration, its log, and an end that a shell understands. */
import { type Config, ConfigError, loadConfig } from '../config.ts';
import { BackupError } from '../platform/backup/manifest.ts';
import { DataDirectoryError } from '../platform/data-directory-error.ts';
import { ApiError } from '../platform/errors.ts';
import { createLog, type Log } from '../platform/log.ts';

/** What was typed cannot be understood; the message says how it is written. */
export class UsageError extends Error {}

const FOR_PEOPLE = [ConfigError, UsageError, BackupError, DataDirectoryError, ApiError];

export async function runCommand(work: (config: Config, log: Log) => Promise<void>): Promise<void> {
  try {
    const config = loadConfig(process.env);
    await work(config, createLog(config.logLevel));
  } catch (error) {
    console.error(isForPeople(error) ? error.message : error);
    process.exitCode = 1;
  }
}

/** What a person can mend. Node's own words about an option that nobody knows are among it. */
function isForPeople(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return code?.startsWith('ERR_PARSE_ARGS') || FOR_PEOPLE.some((kind) => error instanceof kind);
}
