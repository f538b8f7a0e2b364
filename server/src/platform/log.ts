import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';
import { toReadableLine } from './readable-log.ts';

export type Log = FastifyBaseLogger;

/** `json`, or `pretty` lines for a person; `auto` is `pretty` at a terminal and `json` elsewhere. */
export type LogFormat = 'auto' | 'json' | 'pretty';

/** Writes log lines to standard error; standard output is for texts meant for a person. */
export function createLog(level: string, format: LogFormat = 'json'): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  };
  const isReadable = format === 'auto' ? process.stderr.isTTY : format === 'pretty';
  if (!isReadable) return pino(options, standardError);
  return pino(options, { write: (line) => standardError.write(toReadableLine(line)) });
}

/** Writes the lines of one turn of the event loop together: one write per line would cost a tenth of the throughput. */
class BatchedStandardError {
  private lines = '';

  write(line: string): void {
    if (this.lines === '') setImmediate(() => this.flush());
    this.lines += line;
  }

  flush(): void {
    const { lines } = this;
    this.lines = '';
    if (lines !== '') process.stderr.write(lines);
  }
}

/** Shared by all logs of the process. */
const standardError = new BatchedStandardError();
process.on('exit', () => standardError.flush());

export interface RequestLine {
  readonly reqId: string;
  readonly method: string;
  /** The route pattern; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}

/** Writes one line for each request. */
export const requestLog =
  (log: Log) =>
  ({ reqId, method, route, status, durationMs }: RequestLine): void =>
    log.info(
      { reqId, method, route: route ?? null, status, duration_ms: Math.round(durationMs * 10) / 10 },
      'request',
    );

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly constraint?: string;
  readonly stack?: string | undefined;
  readonly cause?: ErrorDescription;
}

/** Copies only named fields: errors carry connections, passwords and rows with them. */
export function describeError(error: unknown): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: 'thrown without an Error' };
  // PostgreSQL quotes the value that it could not read (class 22).
  const quotesValue = error instanceof pg.DatabaseError && error.code?.startsWith('22') === true;
  const code = 'code' in error ? error.code : undefined;
  const frames = error.stack?.slice(error.stack.indexOf('\n    at ') + 1);
  return {
    type: error.constructor.name,
    message: quotesValue ? 'a value could not be read' : error.message,
    ...(code !== undefined && { code }),
    ...(error instanceof pg.DatabaseError && error.constraint && { constraint: error.constraint }),
    stack: frames,
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
