/** Hostile queries in a real process: each ends within its limits, reveals nothing and leaves nothing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeAsNobody, seenByNobody } from '../../../test/as-nobody.ts';
import { commandOf, descendantsOf } from '../../../test/descendants.ts';
import { HARMLESS_QUERIES, hostileQueries } from '../../../test/hostile-queries.ts';
import { makeFolder } from '../../../test/processes.ts';
import { SHAPES, SqlWorld } from '../../../test/sql-world.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import type { RowSource } from '../sql-tables/table-need.ts';
import { findConfinement } from './confinement.ts';
import { BoundError } from './data-file.ts';
import { queryRows, SqlError, type SqlQuery } from './sql-query.ts';

const CANARY = 'canary-4711';
process.env.DRYDOCK_CANARY = CANARY;
const folder = makeFolder();
const places = {
  file: join(folder, 'canary.csv'),
  link: join(folder, 'link'),
  folder,
  made: join(folder, 'made'),
};
writeFileSync(places.file, `${CANARY}\n`);
symlinkSync(places.file, places.link);

const { signal } = new AbortController();
const work = await openTestWork();
const world = await SqlWorld.open('hostile', [20, 10]);

const ask = (query: string, question: Partial<SqlQuery> = {}) =>
  queryRows({ work, query, tables: SHAPES, source: world.source(), maxRows: 100, signal, ...question });

const ended = (query: string, question: Partial<SqlQuery> = {}) =>
  ask(query, question).then(
    (result) => result,
    (error: unknown) => error,
  );

/** A sample of each kind: statement-check.test.ts has all of them. */
const attempts = hostileQueries(places).filter((_, index) => index % 23 === 0);

describe.each([
  { isConfined: true, where: 'in namespaces if available' },
  { isConfined: false, where: 'without namespaces' },
])('a query process $where', ({ isConfined }) => {
  test(`refuses ${attempts.length} attempts, and reads nothing for them`, async () => {
    const seen: unknown[] = [];
    const source: RowSource = {
      copyOut: async (needs) => {
        seen.push(...(await needs));
        throw new Error('nobody may ask');
      },
    };
    await Promise.all(
      attempts.map(async (query) => {
        const error = await ended(query, { isConfined, source });
        expect(error, query).toBeInstanceOf(SqlError);
        expect(String(error)).not.toContain(CANARY);
      }),
    );
    expect(seen).toEqual([]);
    expect([existsSync(places.made), existsSync(join(folder, 'export'))]).toEqual([false, false]);
  }, 120_000);

  test('answers harmless queries', async () => {
    await Promise.all(
      HARMLESS_QUERIES.filter((_, index) => index % 4 === 0).map(async (query) => {
        const result = await ended(query, { isConfined });
        expect(result, query).toMatchObject({ truncated: false });
        expect(JSON.stringify(result)).not.toContain(CANARY);
      }),
    );
  }, 120_000);

  // Namespaces limit neither memory nor time: without them a few cases suffice.
  const some = <Case>(cases: readonly Case[]) => (isConfined ? cases : cases.slice(0, 4));
  const bounds = { memoryBytes: 256 * 1024 ** 2, timeoutMs: 3000 };
  test.each(
    some([
      ['a text of two gigabytes', "SELECT repeat('x', 2000000000) AS a"],
      ['many large texts', "SELECT list(repeat('x', 1000000) || i) AS a FROM range(100000) t(i)"],
      ['a list of a billion', 'SELECT range(1000000000) AS a'],
      [
        'an endless recursion',
        'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r',
      ],
      [
        'one that grows',
        "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT max(length(s)) AS n FROM r",
      ],
      [
        'a product of everything',
        'SELECT count(*) AS n FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range * b.range = c.range + 0.5',
      ],
      [
        'a sort of more than there is room for',
        'SELECT md5(i::VARCHAR) AS a FROM range(1000000000) t(i) ORDER BY a',
      ],
      [
        'a window over too much',
        'SELECT count(*) AS n FROM (SELECT sum(i) OVER (ORDER BY i % 7 ROWS 100000 PRECEDING) AS s FROM range(100000000) t(i))',
      ],
      [
        'a costly pattern',
        "SELECT count(*) AS n FROM range(100000000) t(i) WHERE regexp_matches(repeat('a', 500) || i, '(a*)*b')",
      ],
      ['a number of many digits', 'SELECT sum(factorial(33)) AS n FROM range(10000000000)'],
    ]),
  )('ends %s within its limits', async (_what, query) => {
    const started = performance.now();
    const error = await ended(query, { isConfined, bounds });
    expect(error instanceof BoundError || error instanceof SqlError, String(error)).toBe(true);
    expect(performance.now() - started).toBeLessThan(bounds.timeoutMs + 3000);
  });

  test.each(
    some([
      ['brackets', `SELECT ${'('.repeat(400_000)}1${')'.repeat(400_000)} AS a`],
      ['signs', `SELECT ${'- '.repeat(400_000)}1 AS a`],
      ['subqueries', `SELECT ${'(SELECT '.repeat(100_000)}1${')'.repeat(100_000)} AS a`],
      ['lists', `SELECT ${'['.repeat(400_000)}${']'.repeat(400_000)} AS a`],
      ['sums', `SELECT ${'1 + '.repeat(200_000)}1 AS a`],
      [
        'names',
        `WITH ${Array.from({ length: 20_000 }, (_, n) => `a${n} AS (SELECT 1 AS n)`).join(', ')} SELECT n FROM a1`,
      ],
      ['unions', `SELECT 1 AS n ${'UNION ALL SELECT 1 '.repeat(40_000)}`],
      ['columns', `SELECT ${Array.from({ length: 60_000 }, (_, n) => `1 AS c${n}`).join(', ')}`],
      ['ten megabytes', `SELECT '${'x'.repeat(10_000_000)}' AS a`],
      ['an open comment', `SELECT 1 /* ${'/*'.repeat(400_000)}`],
    ]),
  )('ends many %s with a mistake or a limit', async (_what, query) => {
    const error = await ended(query, { isConfined, bounds });
    expect(error instanceof BoundError || error instanceof SqlError, String(error).slice(0, 500)).toBe(true);
    expect(String(error).length).toBeLessThan(2000);
  });
});

test('does not contain rows of other users', async () => {
  const [mine, theirs] = await Promise.all([
    ask('SELECT count(*) AS n FROM spans'),
    ask('SELECT count(*) AS n FROM spans'),
  ]);
  expect([mine.rows, theirs.rows]).toEqual(['[[20]]', '[[20]]']);
  expect(readdirSync(work.path).filter((name) => name.startsWith('job-'))).toEqual([]);
});

test('namespaces, if available, contain only the program and its folder', async () => {
  const { kind, reason } = await findConfinement();
  expect(kind === 'namespaces' ? reason : typeof reason).toBe(kind === 'namespaces' ? undefined : 'string');
  if (kind !== 'namespaces') return;
  const waiting = Promise.withResolvers<undefined>();
  waiting.promise.catch(() => undefined);
  const asking = ended('SELECT * FROM spans', { source: { copyOut: () => waiting.promise } });
  const child = await untilChild();
  const inside = (path: string) => join(`/proc/${child}/root`, path);
  expect(readdirSync(inside('/')).toSorted()).not.toContain('home');
  expect(existsSync(inside('/etc/passwd'))).toBe(false);
  expect(existsSync(inside(places.file))).toBe(false);
  expect(existsSync(inside(join(import.meta.dirname, '../../config.ts')))).toBe(false);
  expect(existsSync(inside(join(import.meta.dirname, 'sql-query.ts')))).toBe(true);
  const status = readFileSync(`/proc/${child}/status`, 'utf8');
  expect(status).toMatch(/^CapEff:\s+0+$/m);
  expect(status).toMatch(/^CapBnd:\s+0+$/m);
  expect(status).toMatch(/^Seccomp:\s+2$/m);
  expect(readFileSync(`/proc/${child}/environ`, 'utf8').replaceAll('\0', ' ').trim()).toMatch(
    /^((PWD|NODE_COMPILE_CACHE)=\S* ?)*$/,
  );
  expect(readFileSync(`/proc/${child}/net/dev`, 'utf8').trim().split('\n')).toHaveLength(3);
  waiting.reject(new Error('enough'));
  expect(await asking).toEqual(new Error('enough'));
});

test('an ordinary user gets the same confinement', async () => {
  const file = (name: string) => JSON.stringify(seenByNobody(join(import.meta.dirname, name)));
  const script = `
    import { finished } from 'node:stream/promises';
    import { RowPipe } from ${file('../sql-tables/row-pipe.ts')};
    import { findConfinement } from ${file('confinement.ts')};
    import { queryRows } from ${file('sql-query.ts')};
    import { WorkFolder } from ${file('work-folder.ts')};
    const work = await WorkFolder.open();
    const source = {
      copyOut: async (needs, { pipes: folder, segments }) => {
        const [{ columns }] = await needs;
        await finished(new RowPipe({ folder, need: 0, columns, segments }).end('1\\n2\\n'));
      },
    };
    const tables = [{ name: 'numbers', columns: [{ name: 'n', type: 'BIGINT' }] }];
    const { signal } = new AbortController();
    const { rows } = await queryRows({ work, query: 'SELECT sum(n) AS n FROM numbers', tables, source, maxRows: 1, signal });
    await work.close();
    console.log(JSON.stringify({ rows, ...(await findConfinement()) }));`;
  const [command, ...args] = nodeAsNobody('--input-type=module', '-e', script);
  const { stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TMPDIR: '/tmp' },
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({ rows: '[[3]]', kind: (await findConfinement()).kind });
});

/** Waits for the innermost process that this one has started. */
async function untilChild(): Promise<number> {
  for (;;) {
    const found = descendantsOf(process.pid).find(
      (pid) => commandOf(pid).includes('child/query/main.ts') && !commandOf(pid).includes('bwrap'),
    );
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
