import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { pino } from 'pino';

export type Log = FastifyBaseLogger;

const STANDARD_ERROR = 2;
const BUFFER_BYTES = 4_096;
const FLUSH_MS = 500;

/**
 * Structured lines on standard error; standard output is for what a person is meant to read. Lines are written
 * together, at the latest after half a second and when the process ends: a write for each would cost a tenth of the
 * throughput.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: STANDARD_ERROR, sync: false, minLength: BUFFER_BYTES });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  return pino({ level, base: null, timestamp: isoTime, serializers: { err: describeError } }, destination);
}

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
