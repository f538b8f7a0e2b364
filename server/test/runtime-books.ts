/** Invariants of runtimes: in the database, and on the machine. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { until } from './processes.ts';

interface Book {
  readonly id: string;
  readonly state: string;
  readonly ended_periods_ms: string;
  readonly billed_credits: string;
  readonly used_ms: string;
  readonly charged: string;
  readonly charges: string;
  readonly ended_periods: string;
}

/** Each period was recorded and charged once; no operation is in progress; every live sandbox of the database exists. */
export async function auditBooks(databaseUrl: string, dataDir: string): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows: moves } = await client.query('SELECT id, move FROM runtimes WHERE move IS NOT NULL');
    expect(moves).toEqual([]);
    const { rows: lost } = await client.query(`
      SELECT r.id FROM runtimes r LEFT JOIN sandboxes s ON s.id = r.sandbox_id
       WHERE r.status <> coalesce(nullif(s.state, 'killed'), 'idle')`);
    expect(lost).toEqual([]);
    const { rows } = await client.query<Book>(`
      SELECT s.id, s.state, s.ended_periods_ms, s.billed_credits,
             s.period - (s.state = 'running')::int AS ended_periods,
             (SELECT coalesce(round(sum(seconds) * 1000), 0) FROM usage_events u
               WHERE u.source = 'sandbox' AND u.external_id LIKE s.id || '/%') AS used_ms,
             (SELECT coalesce(-sum(amount), 0) FROM credit_transactions c
               WHERE c.reference LIKE 'sandbox/' || s.id || '/%') AS charged,
             (SELECT count(*) FROM credit_transactions c
               WHERE c.reference LIKE 'sandbox/' || s.id || '/%') AS charges
        FROM sandboxes s`);
    for (const book of rows) {
      expect(book).toMatchObject({ used_ms: book.ended_periods_ms, charged: book.billed_credits });
      expect(Number(book.charges)).toBe(Number(book.ended_periods));
    }
    const alive = rows.filter(({ state }) => state !== 'killed').map(({ id }) => id);
    // Remains of a sandbox that ended by itself are removed after its end was recorded.
    const isTidy = () => foldersOf(dataDir, 'run').toSorted().join() === alive.toSorted().join();
    await until('only what is alive is there', isTidy).catch(() =>
      expect(foldersOf(dataDir, 'run').toSorted()).toEqual(alive.toSorted()),
    );
    return rows.length;
  } finally {
    await client.end();
  }
}

/** Lists all sandboxes that ever existed. */
export async function listSandboxIds(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM sandboxes');
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}

const foldersOf = (dataDir: string, what: string) => readdirSync(join(dataDir, 'sandboxes', what));

/** Finds processes, mounts, control groups and files that sandboxes of this data directory have left. */
export function findLeftovers(dataDir: string, sandboxIds: readonly string[]): string[] {
  const folder = join(dataDir, 'sandboxes');
  const files = ['run', 'disks', 'ends'].flatMap((what) =>
    foldersOf(dataDir, what).map((name) => `${what}/${name}`),
  );
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => tryRead(`/proc/${pid}/mountinfo`).includes(folder))
    .map((pid) => `process ${pid}: ${tryRead(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
  const ids = new Set(sandboxIds);
  const groups = globSync('/sys/fs/cgroup/**/*/', { exclude: (name) => name.includes('proc') }).filter(
    (path) => [...ids].some((id) => path.includes(id)),
  );
  return [...files, ...processes, ...groups];
}

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
