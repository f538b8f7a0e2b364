/** Opens the database for a command: the configured one, or else the bundled one, even while a server runs on it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataDirectoryError } from '../data-directory-error.ts';
import type { Log } from '../log.ts';
import { findBundledBinaries } from './bundled-binaries.ts';
import { BundledPostgres, runningUrl } from './bundled-postgres.ts';
import { connect, type Db } from './connect.ts';
import { openClient } from './open-client.ts';
import { findPostmaster } from './postmaster-file.ts';
import { requireConnection } from './require-connection.ts';

export interface DatabaseLocation {
  readonly dataDir: string;
  readonly database: {
    readonly url: string | undefined;
    readonly directUrl: string | undefined;
    readonly namedStatements: boolean;
  };
}

export interface OpenOptions {
  /** Refuse while a server runs on the data directory. Other users of a `DATABASE_URL` cannot be detected. */
  readonly alone?: boolean;
  /** Create the bundled database if there is none. */
  readonly create?: boolean;
}

export interface OpenDatabase {
  readonly db: Db;
  /** Its direct address; a pooler's only if no other is configured. */
  readonly url: string;
}

const POOL_SIZE = 2;
const WAIT_TIMEOUT_MS = 60_000;

/** Opens the database as it is, without migrating it, and leaves it running or stopped as it was found. */
export async function withDatabase<T>(
  location: DatabaseLocation,
  log: Log,
  work: (open: OpenDatabase) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const { namedStatements, directUrl } = location.database;
  const given = directUrl ?? location.database.url;
  if (given)
    await requireConnection(given, given === location.database.url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL');
  const { url, stop } = given ? { url: given, stop: undefined } : await openBundled(location, log, options);
  try {
    const db = connect({ url, poolSize: POOL_SIZE, namedStatements, log });
    try {
      return await work({ db, url });
    } finally {
      await db.destroy();
    }
  } finally {
    await stop?.();
  }
}

interface Opened {
  readonly url: string;
  readonly stop: (() => Promise<void>) | undefined;
}

async function openBundled({ dataDir }: DatabaseLocation, log: Log, options: OpenOptions): Promise<Opened> {
  const pgdata = join(dataDir, 'postgres');
  if (!options.create && !existsSync(pgdata)) {
    throw new DataDirectoryError(
      `There is no database in ${dataDir}. Set DRYDOCK_DATA_DIR or DATABASE_URL as the server has it.`,
    );
  }
  const running = options.alone ? undefined : await findRunning(pgdata);
  if (running) return { url: running, stop: undefined };
  const postgres = await BundledPostgres.start({ dataDir, binaries: findBundledBinaries(), log });
  return { url: postgres.url, stop: () => postgres.stop() };
}

/** Waits for a postmaster that is about to be ready or about to end. */
async function findRunning(pgdata: string): Promise<string | undefined> {
  const deadline = Date.now() + WAIT_TIMEOUT_MS;
  for (let found = findPostmaster(pgdata); found; found = findPostmaster(pgdata)) {
    const url = runningUrl(pgdata, found);
    if (found.isReady && (await isOpen(url))) return url;
    if (Date.now() > deadline) {
      throw new DataDirectoryError(
        `The database in ${pgdata} (process ${found.pid}) is neither ready nor ended; see postgres.log beside it.`,
      );
    }
    await sleep(50);
  }
  return undefined;
}

/** A postmaster that was just asked to stop still reports that it is ready. */
async function isOpen(url: string): Promise<boolean> {
  return openClient(url, 'probe').then(
    (client) => client.end().then(() => true),
    () => false,
  );
}
