/** What every command is made of: the server's own configuration, its log, and an end that a shell understands. */
import { type Config, loadConfig } from '../config.ts';
import { explainError } from '../explain-error.ts';
import { createLog, type Log } from '../platform/log.ts';

/** What was typed cannot be understood; the message says how it is written. */
export class UsageError extends Error {}

export async function runCommand(work: (config: Config, log: Log) => Promise<void>): Promise<void> {
  try {
    const config = loadConfig(process.env);
    await work(config, createLog(config.logLevel, config.logFormat));
  } catch (error) {
    console.error(isUsage(error) ? error.message : explainError(error));
    process.exitCode = 1;
  }
}

/** Node's own words about an option that nobody knows are as good. */
function isUsage(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true;
}
