import { pino } from 'pino';
import { expect, test } from 'vitest';
import { describeError, type Log, requestLog } from './log.ts';
import { toReadableLine } from './readable-log.ts';

function logged(write: (log: Log) => void): string {
  let text = '';
  const to = { write: (line: string) => void (text += toReadableLine(line)) };
  const timestamp = () => ',"time":"2026-01-02T03:04:05.678Z"';
  write(pino({ base: null, level: 'info', timestamp, serializers: { err: describeError } }, to));
  return text;
}

test('toReadableLine shows time, level, message and fields', () => {
  expect(logged((log) => log.warn({ pid: 7, name: 'x y', list: [1] }, 'it is slow'))).toBe(
    '03:04:05 WARN  it is slow pid=7 name=x y list=[1]\n',
  );
});

test('toReadableLine shows method, route, status and duration of a request', () => {
  const line = { reqId: 'r', method: 'GET', route: '/api/v1/org/:org', status: 200, durationMs: 12.34 };
  expect(logged((log) => requestLog(log)(line))).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}GET \/api\/v1\/org\/:org 200 12\.3 ms\n$/,
  );
  expect(logged((log) => requestLog(log)({ ...line, route: undefined, status: 404 }))).toContain(
    'GET (no such route) 404 12.3 ms',
  );
});

test('toReadableLine shows an error with its stack and its cause, and nothing else of it', () => {
  const cause = Object.assign(new Error('refused'), { client: { password: 'canary' } });
  const text = logged((log) => log.error({ err: new TypeError('it failed', { cause }) }, 'no luck'));
  expect(text).toMatch(
    /^03:04:05 ERROR no luck\n {2}TypeError: it failed\n {4}at .*\n {2}Error: refused\n {4}at /s,
  );
  expect(text).not.toContain('canary');
});

test('toReadableLine replaces control characters by question marks, so that the terminal does not execute them', () => {
  expect(logged((log) => log.info({ name: '\u001b[2Jx\u009b' }, 'a\u0007b'))).toBe(
    '03:04:05 INFO  a?b name=?[2Jx?\n',
  );
});
