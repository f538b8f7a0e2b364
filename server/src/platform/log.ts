import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';

export type Log = FastifyBaseLogger;

/** Structured lines on standard error; standard output is for what a person is meant to read. */
export function createLog(level: string): Log {
  const options = { level, base: null, timestamp: isoTime, serializers: { err: describeError } };
  return pino(options, standardError);
}

/** The lines of one turn of the event loop are written together: a write for each would cost a tenth of the throughput. */
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

/** A process has one, however many logs. */
const standardError = new BatchedStandardError();
process.on('exit', () => standardError.flush());

let lastMoment = 0;
let lastText = '';

/** Many lines of one millisecond share its text. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMoment) {
    lastMoment = now;
    lastText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastText;
}

interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly constraint?: string;
  readonly stack?: string | undefined;
  readonly cause?: ErrorDescription;
}

/** Only named fields: errors carry connections, passwords and rows with them. */
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
