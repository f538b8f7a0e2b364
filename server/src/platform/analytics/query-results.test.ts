/** Untrusted output of a query process: only expected messages are accepted. */
import { expect, test } from 'vitest';
import type { Condition } from '../sql-tables/table-need.ts';
import { readNeeds, readResult } from './query-results.ts';

const TABLES = [
  {
    name: 'numbers',
    columns: [
      { name: 'n', type: 'BIGINT' },
      { name: 'text', type: 'VARCHAR' },
    ],
  },
  { name: 'others', columns: [{ name: 'n', type: 'BIGINT' }] },
] as const;

const need = { table: 'numbers', columns: ['n'], condition: null };
const under = (condition: unknown) => ({ needs: [{ ...need, condition }] });
const readLine = (value: unknown) => readNeeds(JSON.stringify(value), TABLES);
const UNEXPECTED = 'The analytics process sent an unexpected message.';

const parts: readonly Condition[] = [
  { column: 'n', is: '>=', value: '4' },
  { column: 'n', is: 'not null' },
  { column: 'text', is: '<>', value: '' },
  { column: 'text', is: 'null' },
  { column: 'n', is: '=', value: true },
];

test.each([
  { needs: [] },
  { needs: [need, { table: 'others', columns: ['n'], condition: null }] },
  { needs: [{ ...need, columns: ['text', 'n'], condition: { all: [{ any: parts }, { any: [] }] } }] },
  under({ any: Array.from({ length: 50_000 }, (_, n) => ({ column: 'n', is: '=', value: String(n) })) }),
  under(nested(1000)),
  { failure: { kind: 'sql', message: 'no', position: 3 } },
  { failure: { kind: 'sql', message: 'no', position: null } },
  { failure: { kind: 'memory' } },
  { failure: { kind: 'failure', message: 'ours' } },
])('readNeeds accepts needs and failures unchanged', (value) => {
  expect(readLine(value)).toEqual(value);
});

function nested(depth: number): unknown {
  let condition: unknown = parts[0];
  for (let level = 0; level < depth; level++) condition = { all: [condition] };
  return condition;
}

const statement = "= '' OR true) TO STDOUT; COPY (SELECT password_hash FROM users WHERE 'a' =";

test.each([
  ['a statement for a comparison', under({ column: 'n', is: statement, value: '1' })],
  ['one deep inside', under({ all: [{ any: [{ column: 'n', is: statement, value: '1' }] }] })],
  ['a comparison with nothing', under({ column: 'n', is: '=' })],
  ['nothing with a value', under({ column: 'n', is: 'null', value: '1' })],
  ['a number', under({ column: 'n', is: '=', value: 1 })],
  ['an object for a value', under({ column: 'n', is: '=', value: { toOperationNode: 1 } })],
  ['no column', under({ is: 'null' })],
  ['parts that are none', under({ all: 'n' })],
  ['two kinds at once', under({ all: [], any: [] })],
  ['more than there is to say', under({ column: 'n', is: 'null', raw: '1' })],
  ['a text', under('true')],
  ['no columns', { needs: [{ ...need, columns: [] }] }],
  ['a column that is none', { needs: [{ ...need, columns: ['n', 'secret'] }] }],
  ['a column twice', { needs: [{ ...need, columns: ['n', 'n'] }] }],
  ['a table that is none', { needs: [{ ...need, table: 'users' }] }],
  ['a table twice', { needs: [need, need] }],
  ['needs that are none', { needs: { length: 1 } }],
  ['an odd failure', { failure: { kind: 'sql', message: 1, position: null } }],
  ['nothing', null],
])('readNeeds refuses %s', (_, value) => {
  expect(() => readLine(value)).toThrow(UNEXPECTED);
});

test('readNeeds refuses invalid or deeply nested JSON without repeating it', () => {
  expect(() => readNeeds('secret', TABLES)).toThrow(UNEXPECTED);
  const deep = `${'{"all":['.repeat(100_000)}${']}'.repeat(100_000)}`;
  expect(() => readNeeds(JSON.stringify(under('deep')).replace('"deep"', deep), TABLES)).toThrow(UNEXPECTED);
  expect(() => readNeeds(`{"needs":${'['.repeat(1e6)}`, TABLES)).toThrow(UNEXPECTED);
});

test('readResult accepts a result', () => {
  const result = { columns: [{ name: 'n', type: 'BIGINT' }], row_count: 1, truncated: false };
  expect(readResult(JSON.stringify({ result }))).toEqual({ result });
  for (const odd of [{ row_count: '1,"x":2' }, { row_count: -1 }, { truncated: 'no' }, { columns: [1] }])
    expect(() => readResult(JSON.stringify({ result: { ...result, ...odd } }))).toThrow(UNEXPECTED);
});
