/** Turns the JSON lines of the log into lines that a person reads at a terminal. */
import { pino } from 'pino';

interface Line {
  readonly level: number;
  readonly time: string;
  readonly msg?: string;
  readonly err?: Described;
  readonly [field: string]: unknown;
}

interface Described {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Described;
}

/**
 * Formats a line as `14:03:07 INFO message field=value`, with the stack of an error below; for a request with its method, route, status and
 * time.
 */
export function toReadableLine(json: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json) as Line;
  const head = `${time.slice(11, 19)} ${(pino.levels.labels[level] ?? String(level)).toUpperCase().padEnd(5)}`;
  if (msg === 'request') return `${head} ${describeRequest(fields)}\n`;
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const text = [`${[head, msg, ...pairs].join(' ')}\n`, ...describeErrors(err)].join('');
  return text.replaceAll(CONTROL, '?');
}

/** Control characters other than newlines, which the terminal would execute. */
const CONTROL = /[^\P{Cc}\n]/gu;

/** Shows the pattern of the route and not the path, which may hold names and keys. */
function describeRequest(fields: Readonly<Record<string, unknown>>): string {
  const { method, route, status, duration_ms } = fields as Readonly<Record<string, string | number | null>>;
  return `${method} ${route ?? '(no such route)'} ${status} ${duration_ms} ms`;
}

function describeErrors(error: Described | undefined): string[] {
  if (!error) return [];
  const stack = error.stack ? `${error.stack}\n` : '';
  return [`  ${error.type}: ${error.message}\n${stack}`, ...describeErrors(error.cause)];
}
