/** A server, and inspection of what publishing leaves in its tables and its object storage. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { sweep } from '../src/platform/sweeper/sweeper.ts';
import { registryCleanUps } from '../src/registry/blobs.ts';
import { startTestServer, type TestServer } from './harness.ts';

export interface Publisher {
  readonly server: TestServer;
  /** Lists everything that publishing could leave behind. */
  leftovers(): Promise<unknown>;
  /** Moves the clock by a day and runs the clean-ups. */
  passDay(): Promise<void>;
}

export async function startPublisher(): Promise<Publisher> {
  const server = await startTestServer();
  const { db, storage } = server;
  return {
    server,
    leftovers: () => findLeftovers(db, storage),
    passDay: () => passDay(db, storage),
  };
}

async function findLeftovers(db: Db, storage: ObjectStorage) {
  const { rows } = await sql`
    SELECT /* of every organization */
      (SELECT count(*) FROM registry_uploads) AS uploads, (SELECT count(*) FROM artifact_blobs) AS blobs,
      (SELECT count(*) FROM artifact_files) AS files, (SELECT count(*) FROM artifact_versions) AS versions,
      (SELECT count(*) FROM artifacts) AS artifacts, (SELECT count(*) FROM audit_log) AS audited`.execute(db);
  const keys = (await Array.fromAsync(storage.list('registry/'))).map(({ key }) => key);
  return { ...(rows[0] as object), keys };
}

async function passDay(db: Db, storage: ObjectStorage): Promise<void> {
  await sql`UPDATE registry_uploads /* of every organization */ SET sweep_at = sweep_at - interval '25 hours'`.execute(
    db,
  );
  await sql`
    UPDATE artifact_blobs /* of every organization */ SET unused_since = unused_since - interval '25 hours'`.execute(
    db,
  );
  await sweep({ db, log: createLog('silent'), cleanUps: registryCleanUps(storage) });
}
