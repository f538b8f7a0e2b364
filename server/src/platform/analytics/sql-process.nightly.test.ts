/** The query process, its source and its file: the order of their ends, and nothing left behind. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { commandOf, descendantsOf, isRunning } from '../../../test/descendants.ts';
import { makeFolder, until } from '../../../test/processes.ts';
import { openPipe, sourceOf } from '../../../test/row-pipes.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import type { SqlTableShape } from '../sql-tables/sql-table.ts';
import type { RowSource, RowWay, TableNeed } from '../sql-tables/table-need.ts';
import { BoundError } from './data-file.ts';
import { type ParquetQuery, queryRows, type SqlQuery, writeParquet } from './sql-query.ts';

const TABLES: readonly SqlTableShape[] = [
  {
    name: 'numbers',
    columns: [
      { name: 'n', type: 'BIGINT' },
      { name: 'text', type: 'VARCHAR' },
    ],
  },
  { name: 'others', columns: [{ name: 'n', type: 'BIGINT' }] },
];
const work = await openTestWork();
const folder = makeFolder();
let files = 0;

/** Yields this many rows of each need, in pieces, as fast as they are read. */
class Numbers implements RowSource {
  readonly rows: number;
  readonly failAfter: number;
  written = 0;
  mostWaiting = 0;
  isEnded = false;

  constructor(rows: number, failAfter = Number.POSITIVE_INFINITY) {
    this.rows = rows;
    this.failAfter = failAfter;
  }

  async copyOut(needs: Promise<readonly TableNeed[]>, way: RowWay): Promise<void> {
    try {
      await sourceOf((need, pipe) => this.#copy(need, pipe, way)).copyOut(needs, way);
    } finally {
      this.isEnded = true;
    }
  }

  async #copy({ columns }: TableNeed, sink: Writable, { signal, onRows }: RowWay): Promise<void> {
    const state = { isClosed: false };
    const closed = new Promise<void>((resolve) => sink.on('close', resolve)).then(
      () => (state.isClosed = true),
    );
    for (let n = 0; n < this.rows && !state.isClosed; n += 1000) {
      signal.throwIfAborted();
      if (this.written >= this.failAfter) throw new Error('the source has failed');
      const count = Math.min(1000, this.rows - n);
      const rows = Array.from({ length: count }, (_, i) =>
        columns.map((name) => (name === 'n' ? n + i : `row "${n + i}"`)),
      );
      const text = rows
        .map((row) =>
          row
            .map((value) => (typeof value === 'number' ? value : `"${value.replaceAll('"', '""')}"`))
            .join(','),
        )
        .join('\n');
      const isFree = sink.write(`${text}\n`);
      this.written += count;
      onRows?.(this.written);
      this.mostWaiting = Math.max(this.mostWaiting, sink.writableLength);
      if (!isFree) await Promise.race([closed, new Promise((drained) => sink.once('drain', drained))]);
    }
  }
}

const question = (source: RowSource, query: string, more: Partial<SqlQuery> = {}): SqlQuery => ({
  work,
  query,
  tables: TABLES,
  source,
  maxRows: 1000,
  signal: new AbortController().signal,
  ...more,
});
const toFile = (source: RowSource, query: string, more: Partial<ParquetQuery> = {}): ParquetQuery => ({
  ...question(source, query),
  maxRows: 100_000_000,
  path: join(folder, `${files++}.parquet`),
  ...more,
});

const openFiles = () => readdirSync('/proc/self/fd').length;

/** A process that has closed its files may still be exiting. */
async function expectNothingLeft(processes: readonly number[]): Promise<void> {
  const all = () => [...processes, ...descendantsOf(process.pid)];
  await until('all have ended', () => !all().some(isRunning) || undefined);
  expect(readdirSync(work.path).filter((name) => name.startsWith('job-'))).toEqual([]);
}

/** Returns all processes started for the query, after rows have begun to arrive. */
async function untilReading(source: Numbers): Promise<number[]> {
  await until('it reads', () => source.written > 0 || undefined);
  return descendantsOf(process.pid);
}

test('aborting a query ends the process, the reading and the file within a second', async () => {
  const source = new Numbers(1e9);
  const leaving = new AbortController();
  const asked = toFile(source, 'SELECT * FROM numbers', { signal: leaving.signal });
  const writing = writeParquet(asked).catch((error: unknown) => error);
  const processes = await untilReading(source);
  expect(processes.length).toBeGreaterThan(0);
  const started = performance.now();
  leaving.abort(new Error('gone'));
  expect(await writing).toEqual(new Error('gone'));
  expect(performance.now() - started).toBeLessThan(1000);
  expect(source.isEnded).toBe(true);
  expect(existsSync(asked.path)).toBe(false);
  await expectNothingLeft(processes);
});

test('a killed process is an error, and leaves nothing', async () => {
  const source = new Numbers(1e9);
  const asked = toFile(source, 'SELECT * FROM numbers');
  const writing = writeParquet(asked).catch((error: unknown) => error);
  const processes = await untilReading(source);
  const node = processes.findLast((pid) => commandOf(pid).includes('child/query/main.ts'));
  process.kill(node ?? 0, 'SIGKILL');
  expect(await writing).toBeInstanceOf(BoundError);
  expect(existsSync(asked.path)).toBe(false);
  await expectNothingLeft(processes);
});

test('a source that fails midway causes its own error, and no file is left', async () => {
  for (const query of ['SELECT * FROM numbers', 'SELECT a.n FROM numbers a, numbers b WHERE a.n = b.n']) {
    const asked = toFile(new Numbers(1e9, 50_000), query);
    await expect(writeParquet(asked)).rejects.toThrow('the source has failed');
    expect(existsSync(asked.path)).toBe(false);
    await expect(
      queryRows(question(new Numbers(100, 50), 'SELECT a.n FROM numbers a, others b')),
    ).rejects.toThrow('the source has failed');
  }
  await expectNothingLeft([]);
});

test('a source that hides missing rows is detected', async () => {
  const torn: RowSource = {
    copyOut: async (needed, way) => {
      for (const [index, need] of (await needed).entries()) openPipe(way, index, need).destroy();
    },
  };
  await expect(queryRows(question(torn, 'SELECT count(*) FROM numbers'))).rejects.toThrow('all of its rows');
});

test('a few rows of a huge table are returned before it is read completely', async () => {
  const source = new Numbers(1e9);
  const result = await queryRows(question(source, 'SELECT n, text FROM numbers LIMIT 2'));
  expect(result).toMatchObject({ rows: '[[0,"row \\"0\\""],[1,"row \\"1\\""]]', truncated: false });
  expect(source.written).toBeLessThan(2e7);
  expect(source.isEnded).toBe(true);
  await expectNothingLeft([]);
});

test('a source is not read faster than its rows are consumed', async () => {
  const source = new Numbers(3e5);
  const rows: number[] = [];
  const query = 'SELECT count(*) AS n, max(length(text)) AS l FROM numbers';
  const asked = toFile(source, query, { onProgress: (read) => rows.push(read), isNiced: true });
  expect(await writeParquet(asked)).toMatchObject({ row_count: 1 });
  expect(source.mostWaiting).toBeLessThan(256 * 1024);
  expect(rows.at(-1)).toBe(3e5);
  expect(rows).toEqual(rows.toSorted((a, b) => a - b));
});

test('a table that is used several times is read once and kept', async () => {
  const source = new Numbers(1000);
  const twice = await queryRows(
    question(source, 'SELECT count(*) AS n FROM numbers a JOIN numbers b ON a.n = b.n + 1'),
  );
  expect(twice.rows).toBe('[[999]]');
  expect(source.written).toBe(1000);
  const walk = `WITH RECURSIVE walk AS (SELECT 0 AS n UNION ALL SELECT walk.n + 1 FROM walk JOIN numbers USING (n) WHERE walk.n < 20)
    SELECT max(n) AS n FROM walk`;
  expect((await queryRows(question(new Numbers(1000), walk))).rows).toBe('[[20]]');
  const both =
    'SELECT (SELECT sum(n) FROM others) AS o, count(*) AS n FROM numbers WHERE n IN (SELECT n FROM others)';
  expect((await queryRows(question(new Numbers(1000), both))).rows).toBe('[[499500,1000]]');
});

test('a query over its time or size limit is ended', async () => {
  const slow: RowSource = {
    copyOut: async (_needs, { signal }) => {
      await sleep(60_000, undefined, { signal });
    },
  };
  await expect(
    queryRows(question(slow, 'SELECT * FROM numbers', { bounds: { timeoutMs: 2000 } })),
  ).rejects.toThrow(new BoundError('time', 'takes longer than 2 s; narrow it by conditions, or export it'));
  const large = 'SELECT md5(i::VARCHAR) AS a FROM range(100000000) t(i)';
  const asked = toFile(new Numbers(0), large, { maxTargetBytes: 4 * 1024 ** 2 });
  await expect(writeParquet(asked)).rejects.toThrow(
    new BoundError('target_size', 'gives a file of more than 4 MiB; ask for fewer rows or columns'),
  );
  expect(existsSync(asked.path)).toBe(false);
  await expect(
    queryRows(
      question(new Numbers(0), "SELECT repeat('x', 5000) AS a FROM range(10000)", { maxRows: 10_000 }),
    ),
  ).rejects.toThrow(
    new BoundError(
      'result_size',
      'has rows of more than 32 MiB; ask for fewer rows or columns, or export them',
    ),
  );
  await expectNothingLeft([]);
}, 120_000);

test('a row that is too long for memory is reported', async () => {
  const wide = sourceOf(({ columns }, pipe) => {
    pipe.write(`${columns.map((name) => (name === 'n' ? '1' : 'x'.repeat(40 * 1024 ** 2))).join(',')}\n`);
  });
  await expect(queryRows(question(wide, 'SELECT n, length(text) AS l FROM numbers'))).rejects.toThrow(
    /longer than 32 MiB/,
  );
});

test('queries leave no open file in this process', async () => {
  const askAll = () =>
    Promise.all([
      queryRows(question(new Numbers(10), 'SELECT count(*) AS n FROM numbers')),
      queryRows(question(new Numbers(10), 'SELECT nothing FROM numbers')).catch(() => undefined),
      queryRows(question(new Numbers(1e9, 1000), 'SELECT a.n FROM numbers a, others b')).catch(
        () => undefined,
      ),
    ]);
  await askAll();
  const before = openFiles();
  await askAll();
  await askAll();
  expect(openFiles()).toBeLessThanOrEqual(before);
}, 120_000);
