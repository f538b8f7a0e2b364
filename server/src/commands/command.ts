/** Runs a command with the server's configuration and log, and ends it with an exit code and, where it fails, one sentence. */
import { type Config, loadConfig } from '../config.ts';
import { explainError } from '../explain-error.ts';
import { createLog, type Log } from '../platform/log.ts';

/** The command cannot do what was asked of it; the message says why, and how to ask. */
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

/** Errors of parseArgs count too: Node's own message about an unknown option is clear enough. */
function isUsage(error: unknown): error is Error {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS') === true;
}
