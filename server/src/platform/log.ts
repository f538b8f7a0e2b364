import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { type Logger, pino } from 'pino';
import { isoNow } from './iso-now.ts';
import { toReadableLine } from './readable-log.ts';

export type Log = FastifyBaseLogger;

/** `json`, or `pretty` lines for a person; `auto` is `pretty` at a terminal and `json` elsewhere. */
export type LogFormat = 'auto' | 'json' | 'pretty';

/** Writes log lines to standard error; standard output is for texts meant for a person. */
export function createLog(level: string, format: LogFormat = 'json'): Log {
  const options = { level, base: null, timestamp: isoTime, serializers: { err: describeError } };
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

const isoTime = () => `,"time":"${isoNow()}"`;

export interface RequestLine {
  /** An id of our own, in which nothing has to be escaped. */
  readonly reqId: string;
  readonly method: string;
  /** The route pattern; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}

/** Writes one line per request without pino, which takes three times as long for these most frequent lines. */
export function requestLog(log: Log): (line: RequestLine) => void {
  const logger = log as Logger;
  const { [pino.symbols.streamSym]: to } = logger as unknown as Record<
    symbol,
    Pick<NodeJS.WritableStream, 'write'>
  >;
  const { info } = pino.levels.values;
  const quoted = new Map<string | undefined, string>([[undefined, 'null']]);
  // Caches quoted methods and patterns, of which there are only as many as routes.
  const quote = (text: string | undefined) => {
    const known = quoted.get(text);
    if (known !== undefined) return known;
    const made = JSON.stringify(text);
    quoted.set(text, made);
    return made;
  };
  return ({ reqId, method, route, status, durationMs }) => {
    if (!logger.isLevelEnabled('info')) return;
    const ms = Math.round(durationMs * 10) / 10;
    to?.write(
      `{"level":${info}${isoTime()},"reqId":"${reqId}","method":${quote(method)},"route":${quote(route)},"status":${status},"duration_ms":${ms},"msg":"request"}\n`,
    );
  };
}

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
