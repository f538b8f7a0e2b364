import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, inject, test } from 'vitest';
import { isPostgresStopped, newDataDir, pgdataOf, until } from '../../../test/processes.ts';
import { createLog } from '../log.ts';
import { findBundledBinaries } from './bundled-binaries.ts';
import { BundledPostgres } from './bundled-postgres.ts';
import { type OpenDatabase, withDatabase } from './open-database.ts';
import { findPostmaster } from './postmaster-file.ts';

const log = createLog('fatal');
const NONE = { url: undefined, directUrl: undefined, namedStatements: true };

async function ask({ db }: OpenDatabase): Promise<string | undefined> {
  return (await sql<{ name: string }>`SELECT current_database() AS name`.execute(db)).rows[0]?.name;
}

test('a configured database is opened at its direct address', async () => {
  const url = inject('databaseUrl');
  const location = {
    dataDir: newDataDir(),
    database: { url: 'postgres://pooler.invalid/x', directUrl: url, namedStatements: true },
  };
  expect(await withDatabase(location, log, async (open) => [open.url, await ask(open)])).toEqual([
    url,
    'drydock',
  ]);
  expect(existsSync(location.dataDir)).toBe(false);
});

describe('the bundled database', () => {
  const location = { dataDir: newDataDir(), database: NONE };
  const { dataDir } = location;

  test('is created only if requested', async () => {
    await expect(withDatabase(location, log, ask)).rejects.toThrow('There is no database in');
    expect(existsSync(dataDir)).toBe(false);
    expect(await withDatabase(location, log, ask, { create: true })).toBe('drydock');
    expect(isPostgresStopped(dataDir)).toBe(true);
  });

  test('is started for the command when it is not running, and stopped even if the command fails', async () => {
    expect(await withDatabase(location, log, ask)).toBe('drydock');
    expect(isPostgresStopped(dataDir)).toBe(true);
    const failing = withDatabase(location, log, () => Promise.reject(new Error('of the command')));
    await expect(failing).rejects.toThrow('of the command');
    expect(isPostgresStopped(dataDir)).toBe(true);
  });

  test('is shared with a server that runs on it, unless the command requires exclusive use', async () => {
    const postgres = await BundledPostgres.start({ dataDir, binaries: findBundledBinaries(), log });
    const pid = findPostmaster(pgdataOf(dataDir))?.pid;
    expect(await withDatabase(location, log, ask)).toBe('drydock');
    await expect(withDatabase(location, log, ask, { alone: true })).rejects.toThrow('is in use');
    expect(findPostmaster(pgdataOf(dataDir))).toMatchObject({ pid, isReady: true });
    await postgres.stop();
  });

  test('is waited for while it shuts down', async () => {
    const postgres = await BundledPostgres.start({ dataDir, binaries: findBundledBinaries(), log });
    const stopping = postgres.stop();
    await until('it stops', () => !findPostmaster(pgdataOf(dataDir))?.isReady);
    expect(await withDatabase(location, log, ask)).toBe('drydock');
    await stopping;
    expect(isPostgresStopped(dataDir)).toBe(true);
  });
});
