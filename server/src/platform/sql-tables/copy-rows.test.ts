import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../test/databases.ts';
import { Collected, numbers, somebody } from '../../../test/plain-rows.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { copyRows } from './copy-rows.ts';
import { toCopyStatement } from './copy-statement.ts';
import { LongRowError } from './long-row-error.ts';
import { column, type SqlTable } from './sql-table.ts';
import type { TableNeed } from './table-need.ts';

let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE TABLE notes (id integer, text text); INSERT INTO notes VALUES (1, 'one')`);
});

afterAll(async () => {
  await admin.end();
  await database.drop();
});

const notes: SqlTable = {
  name: 'notes',
  comment: 'Notes.',
  columns: [
    column('id', 'INTEGER', sql`n.id`, 'Its number.'),
    column('text', 'VARCHAR', sql`n.text`, 'Said.'),
  ],
  rows: () => sql`FROM notes AS n WHERE true`,
};

/** Sorts as long as possible before its first row. */
const sorted: SqlTable = {
  ...numbers,
  name: 'sorted',
  rows: () =>
    sql`FROM (SELECT s.n FROM (SELECT generate_series(1, 2000000000) AS n) AS s ORDER BY md5(s.n::text)) AS g WHERE true`,
};

const broken: SqlTable = {
  ...notes,
  name: 'broken',
  columns: [column('id', 'INTEGER', sql`1 / (n.id - 1)`, 'Divides by nothing.')],
};

const TABLES = [notes, numbers, sorted, broken];

function read(
  needs: readonly TableNeed[],
  sinkOf: (need: TableNeed) => Writable,
  signal: AbortSignal,
  statementTimeoutMs = WAIT_TIMEOUT_MS,
): Promise<void> {
  const statements = needs.map((need) =>
    toCopyStatement(TABLES.find(({ name }) => name === need.table) ?? notes, need, somebody()),
  );
  const sink = (index: number) => sinkOf(needs[index] as TableNeed);
  return copyRows(
    { url: database.url, statementTimeoutMs, statements },
    { sinkOf: sink, onRows: () => undefined, signal },
  );
}

const all = (table: string, columns = ['id', 'text']): TableNeed => ({ table, columns, condition: null });
const unending = new AbortController().signal;

/** Lists the active statements of queries in PostgreSQL. */
async function backends(): Promise<string[]> {
  const { rows } = await admin.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'drydock%'`,
  );
  return rows.map(({ query }) => query);
}

/** Aborted queries must not continue, however busy the machine is. */
const expectNoneLeft = () => expect.poll(backends, { interval: 20 }).toEqual([]);

async function untilCopying(): Promise<void> {
  await expect
    .poll(async () => (await backends()).some((query) => query.startsWith('COPY')), { interval: 5 })
    .toBe(true);
}

test('copyRows sends each sink the rows of its need in column order, and ends it', async () => {
  await admin.query(`INSERT INTO notes VALUES (2, NULL), (3, ''), (4, E'a"b,\nc'), (5, '\\.'), (6, 'ünï𝄞')`);
  const [first, second] = [new Collected(), new Collected()];
  const sinks = [first, second];
  const some: TableNeed = {
    table: 'notes',
    columns: ['id'],
    condition: { column: 'id', is: '<', value: '3' },
  };
  await read([all('notes', ['text', 'id']), some], () => sinks.shift() as Collected, unending);
  await admin.query('DELETE FROM notes WHERE id > 1');
  expect(first.text).toBe('one,1\n,2\n"",3\n"a""b,\nc",4\n\\.,5\nünï𝄞,6\n');
  expect(second.text).toBe('1\n2\n');
  expect([first.writableFinished, second.writableFinished]).toEqual([true, true]);
  await expectNoneLeft();
});

test('copyRows reads all needs from one snapshot', async () => {
  const [first, second] = [new Collected(), new Collected()];
  const sinks = [first, second];
  let inserted: Promise<unknown> | undefined;
  await read(
    [all('notes'), all('notes')],
    () => {
      const sink = sinks.shift() as Collected;
      // Inserts before the second need is read, and after the snapshot was taken.
      if (sink === second) inserted = admin.query(`INSERT INTO notes VALUES (7, 'seven')`);
      return sink;
    },
    unending,
  );
  await inserted;
  expect([first.text, second.text]).toEqual(['1,one\n', '1,one\n']);
  await admin.query('DELETE FROM notes WHERE id = 7');
});

test('copyRows stops when a sink is closed early', async () => {
  const first = new Writable({
    write(_piece, _encoding, done) {
      done();
      this.destroy();
    },
  });
  const reading = read([all('numbers', ['n', 'text'])], () => first, unending);
  await expect(reading).rejects.toMatchObject({ code: 'EPIPE' });
  await expectNoneLeft();
});

test('copyRows stops PostgreSQL when a sink is closed before its first row', async () => {
  const sink = new Collected();
  const copying = read([all('sorted', ['n'])], () => sink, unending);
  await untilCopying();
  sink.destroy();
  await expect(copying).rejects.toMatchObject({ code: 'EPIPE' });
  await expectNoneLeft();
});

test.each(['numbers', 'sorted'])('an abort while %s are read stops copyRows', async (table) => {
  const controller = new AbortController();
  const sink = new Collected();
  const copying = read([all(table, ['n'])], () => sink, controller.signal);
  await untilCopying();
  controller.abort(new Error('no longer wanted'));
  await expect(copying).rejects.toThrow('no longer wanted');
  expect(sink.destroyed).toBe(true);
  await expectNoneLeft();
});

test('an abort while nobody consumes the rows stops copyRows', async () => {
  const controller = new AbortController();
  const stuck = new Writable({ write: () => undefined });
  const copying = read([all('numbers', ['n', 'text'])], () => stuck, controller.signal);
  await untilCopying();
  await sleep(200);
  controller.abort(new Error('no longer wanted'));
  await expect(copying).rejects.toThrow('no longer wanted');
  await expectNoneLeft();
});

test('an abort after all rows were read, but not consumed, stops copyRows', async () => {
  const controller = new AbortController();
  const stuck = new Writable({ write: () => undefined });
  const copying = read([all('notes')], () => stuck, controller.signal);
  await expect.poll(() => stuck.writableEnded, { interval: 5 }).toBe(true);
  controller.abort(new Error('no longer wanted'));
  await expect(copying).rejects.toThrow('no longer wanted');
  await expectNoneLeft();
});

test('copyRows applies backpressure, and buffers only a little', async () => {
  const controller = new AbortController();
  const slow = new Collected(50);
  const copying = read([all('numbers', ['n', 'text'])], () => slow, controller.signal);
  await untilCopying();
  await sleep(1_000);
  expect(slow.text.length).toBeLessThan(10 * 1024 * 1024);
  expect(slow.writableLength).toBeLessThan(1024 * 1024);
  controller.abort(new Error('enough'));
  await expect(copying).rejects.toThrow('enough');
});

test('copyRows reports errors of PostgreSQL, and leaves nothing behind', async () => {
  const sink = new Collected();
  await expect(read([all('broken', ['id'])], () => sink, unending)).rejects.toThrow('division by zero');
  expect(sink.destroyed).toBe(true);
  await expectNoneLeft();
});

test('PostgreSQL ends a statement that takes too long', async () => {
  const reading = read([all('sorted', ['n'])], () => new Collected(), unending, 200);
  await expect(reading).rejects.toThrow('statement timeout');
  await expectNoneLeft();
});

test('a lost connection is an error, not the end of the rows', async () => {
  const sink = new Collected();
  const copying = read([all('numbers', ['n'])], () => sink, unending);
  const failed = expect(copying).rejects.toThrow(/terminat/);
  await untilCopying();
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'drydock rows%'`,
  );
  await failed;
  expect(sink.writableFinished).toBe(false);
});

test('a sink that fails for another reason than a disconnected reader is an error', async () => {
  const full = new Writable({
    write(_piece, _encoding, done) {
      done(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    },
  });
  await expect(read([all('numbers', ['n'])], () => full, unending)).rejects.toThrow('no space left');
  await expectNoneLeft();
});

test('a row that is too long is reported, and a row received in pieces is complete', async () => {
  const long: SqlTable = {
    ...notes,
    name: 'long',
    columns: [column('text', 'VARCHAR', sql`repeat('x', n.id * 40 * 1024 * 1024)`, 'Long.')],
  };
  const readOne = (table: SqlTable, sink: Writable) =>
    copyRows(
      {
        url: database.url,
        statementTimeoutMs: WAIT_TIMEOUT_MS,
        statements: [toCopyStatement(table, all(table.name, ['text']), somebody())],
      },
      { sinkOf: () => sink, onRows: () => undefined, signal: unending },
    );
  await expect(readOne(long, new Collected())).rejects.toThrow(LongRowError);
  const wide = { ...long, columns: [column('text', 'VARCHAR', sql`repeat('y', 10000000)`, 'Wide.')] };
  const sink = new Collected();
  await readOne(wide, sink);
  expect(sink.text).toBe(`${'y'.repeat(10_000_000)}\n`);
  await expectNoneLeft();
});

test('rows are whole in each piece, and counted', async () => {
  const pieces: string[] = [];
  const sink = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece.toString());
      setImmediate(done);
    },
  });
  const many: SqlTable = {
    ...numbers,
    rows: () => sql`FROM (SELECT generate_series(1, 200000) AS n) AS g WHERE true`,
  };
  let rows = 0;
  await copyRows(
    {
      url: database.url,
      statementTimeoutMs: WAIT_TIMEOUT_MS,
      statements: [toCopyStatement(many, all('numbers', ['n']), somebody())],
    },
    { sinkOf: () => sink, onRows: (count) => (rows += count), signal: unending },
  );
  expect(rows).toBe(200_000);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.every((piece) => piece.endsWith('\n'))).toBe(true);
  expect(pieces.join('')).toBe(Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join(''));
});
