import pg from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { describeError, requestLog } from './log.ts';

test('describeError returns named fields only', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', client: { password: 'canary' } });
  const error = new TypeError('it failed', { cause });
  const described = describeError(error);
  expect(described).toMatchObject({
    type: 'TypeError',
    message: 'it failed',
    cause: { code: 'ECONNREFUSED' },
  });
  expect(described.stack).toMatch(/^ {4}at /);
  expect(JSON.stringify(described)).not.toContain('canary');
});

test('describeError leaves out the values that PostgreSQL quotes', () => {
  const error = new pg.DatabaseError('invalid input syntax for type uuid: "canary"', 0, 'error');
  error.code = '22P02';
  error.detail = 'canary';
  expect(JSON.stringify(describeError(error))).not.toContain('canary');
});

test('describeError accepts any thrown value', () => {
  expect(describeError('text')).toEqual({ type: 'string', message: 'thrown without an Error' });
});

test.each([undefined, '/api/v1/org/:org/"quoted"'])(
  'requestLog writes the pattern of the route and the rounded duration (%s)',
  (route) => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const line = { reqId: '0197f0a2-0000-7000-8000-000000000000', method: 'POST', status: 200 };
    requestLog(log)({ ...line, route, durationMs: 12.3456 });
    const { reqId, method, status } = line;
    expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        level: 30,
        time: expect.anything(),
        reqId,
        method,
        route: route ?? null,
        status,
        duration_ms: 12.3,
        msg: 'request',
      },
    ]);
  },
);

test('requestLog writes nothing when the level is warn', () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  requestLog(log)({ reqId: 'x', method: 'GET', route: '/', status: 200, durationMs: 1 });
  expect(lines).toEqual([]);
});
