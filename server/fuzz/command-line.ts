/** Parses the options of `npm run fuzz`; a mistake in them must not look like a run that found nothing. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Target } from './server-process.ts';

export interface CommandLine {
  readonly count: number;
  readonly seed: string;
  readonly only: number | undefined;
  /** A running server; undefined: the run starts one. */
  readonly target: Target | undefined;
}

/** The command line is invalid: the message says how. */
export class CommandLineError extends Error {}

export function readCommandLine(args: readonly string[]): CommandLine {
  const { count, seed, only, url, key } = parse(args);
  return {
    count: wholeNumber('--count', count, 1),
    seed,
    only: only === undefined ? undefined : wholeNumber('--only', only, 0),
    target: url === undefined ? undefined : toTarget(url, key),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        count: { type: 'string', default: '10000' },
        seed: { type: 'string', default: randomBytes(6).toString('hex') },
        only: { type: 'string' },
        url: { type: 'string' },
        key: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new CommandLineError(error instanceof Error ? error.message : String(error));
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new CommandLineError(
    `${name} must be a whole number of at least ${least}, not ${JSON.stringify(text)}.`,
  );
}

function toTarget(url: string, key: string | undefined): Target {
  if (!URL.canParse(url)) throw new CommandLineError(`--url must be a URL, not ${JSON.stringify(url)}.`);
  if (!key) throw new CommandLineError('--url needs --key, the API key of an owner there.');
  return { origin: new URL(url), key };
}
