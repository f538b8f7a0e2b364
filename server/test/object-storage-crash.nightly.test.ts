/**
 * kill -9 during puts, multipart uploads, copies and deletions: acknowledged objects are neither lost nor torn, and nothing is left behind.
 */

import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningUrl } from '../src/platform/db/bundled-postgres.ts';
import { connect, type Db } from '../src/platform/db/connect.ts';
import { findPostmaster } from '../src/platform/db/postmaster-file.ts';
import { JobQueue } from '../src/platform/jobs/queue.ts';
import { createLog } from '../src/platform/log.ts';
import { BlobFiles, SHARDS } from '../src/platform/object-storage/embedded/blobs/blob-files.ts';
import { sweepOrphans } from '../src/platform/object-storage/embedded/blobs/orphans.ts';
import { removeDroppedBlobs } from '../src/platform/object-storage/embedded/clean-ups.ts';
import { EmbeddedStore } from '../src/platform/object-storage/embedded/embedded-store.ts';
import { encodeUriPath } from '../src/platform/object-storage/sigv4/uri-encoding.ts';
import { firstUuidAt } from '../src/platform/uuid.ts';
import { accountForBlobs, IN_ORDER } from './embedded-stores.ts';
import { FIRST_START } from './first-start.ts';
import { ObjectWriter, type WrittenStore } from './object-writers.ts';
import { newDataDir, pgdataOf, postmasterOf, type RunningServer, startServer, until } from './processes.ts';
import { getAccess, openS3 } from './workspace-storage.ts';

const ROUNDS = Number(process.env.DRYDOCK_TEST_ROUNDS ?? 20);
const WRITERS = 6;
const KEY = FIRST_START.apiKey;
const log = createLog('fatal');
const environment = { DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_INIT_API_KEY: KEY, DRYDOCK_LOG_LEVEL: 'fatal' };

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(environment);
});
afterAll(() => server.stop());

interface S3Store extends WrittenStore {
  list(): Promise<string[]>;
  close(): void;
}

/** The server's gateway, with the credentials of a workspace. */
async function openStore(): Promise<S3Store> {
  const access = await getAccess(server.url, KEY);
  const s3 = openS3(access, { maxAttempts: 1 });
  const at = (key: string) => ({ Bucket: access.bucket, Key: access.prefix + key });
  return {
    put: async (key, content) => void (await s3.send(new PutObjectCommand({ ...at(key), Body: content }))),
    putInParts: async (key, parts) => {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at(key)));
      const put = async (Body: Buffer, index: number) => {
        const part = { ...at(key), UploadId, PartNumber: index + 1, Body };
        const { ETag } = await s3.send(new UploadPartCommand(part));
        return { PartNumber: index + 1, ETag };
      };
      const Parts = await Promise.all(parts.map(put));
      await s3.send(new CompleteMultipartUploadCommand({ ...at(key), UploadId, MultipartUpload: { Parts } }));
    },
    copy: async (from, to) => {
      const CopySource = encodeUriPath(`${access.bucket}/${access.prefix}${from}`);
      await s3.send(new CopyObjectCommand({ ...at(to), CopySource }));
    },
    delete: async (key) => void (await s3.send(new DeleteObjectCommand(at(key)))),
    read: async (key) => {
      try {
        const { Body } = await s3.send(new GetObjectCommand(at(key)));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    list: async () => {
      const pages = paginateListObjectsV2({ client: s3 }, { Bucket: access.bucket, Prefix: access.prefix });
      const keys: string[] = [];
      for await (const { Contents = [] } of pages)
        keys.push(...Contents.map(({ Key = '' }) => Key.slice(access.prefix.length)));
      return keys;
    },
    isRefusal: (error) => error instanceof S3ServiceException && error.$fault === 'client',
    close: () => s3.destroy(),
  };
}

/** Opens the database and the folder of the server. */
async function besideServer<T>(
  work: (place: { url: string; db: Db; folder: string }) => Promise<T>,
): Promise<T> {
  const { DRYDOCK_DATA_DIR: dataDir } = environment;
  const postmaster = findPostmaster(pgdataOf(dataDir));
  if (!postmaster) throw new Error('no PostgreSQL runs');
  const url = runningUrl(pgdataOf(dataDir), postmaster);
  const db = connect({ url, poolSize: 4, namedStatements: true, log });
  const objects = join(dataDir, 'objects');
  const [id = ''] = readdirSync(objects);
  try {
    return await work({ url, db, folder: join(objects, id) });
  } finally {
    await db.destroy();
  }
}

/**
 * Runs at once what the clean-ups do in the course of hours.
 * @returns how many files they removed
 */
function sweepAll(): Promise<{ removed: number; dropped: number }> {
  return besideServer(async ({ db, folder }) => {
    const store = new EmbeddedStore({ db, folder });
    expect((await accountForBlobs({ db, folder })).missing).toEqual([]);
    await store.uploads.abortUnder('', 1_000);
    const dropped = await removeDroppedBlobs(store, 0);
    const removed = await sweepOrphans(store, { minAgeMs: 0 });
    expect(await accountForBlobs({ db, folder })).toEqual({ ...IN_ORDER, dropped: 0 });
    return { removed, dropped };
  });
}

const total = (writers: readonly ObjectWriter[]) =>
  writers.flatMap(({ acknowledged }) => Object.values(acknowledged)).reduce((sum, count) => sum + count, 0);

test(`${ROUNDS} rounds lose and tear no object, and leave nothing behind`, {
  timeout: ROUNDS * 60_000,
}, async () => {
  const writers = Array.from({ length: WRITERS }, (_, number) => new ObjectWriter(`writer ${number}/é+%/`));
  let s3 = await openStore();
  for (let round = 1; round <= ROUNDS; round++) {
    const before = total(writers);
    const writing = Promise.all(writers.map((writer) => writer.write(s3)));
    // A refused write, which should not occur, fails here immediately.
    await Promise.race([
      until('writes are acknowledged', () => total(writers) >= before + 4 * WRITERS),
      writing,
    ]);
    await sleep(Math.random() * 600);
    const postmaster = postmasterOf(environment.DRYDOCK_DATA_DIR);
    const victims =
      { 0: [postmaster, server.pid], 1: [server.pid], 2: [server.pid, postmaster] }[round % 3] ?? [];
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await writing;
    s3.close();

    server = await startServer(environment);
    s3 = await openStore();
    for (const writer of writers) expect(await writer.verify(s3)).toEqual([]);
    expect((await s3.list()).toSorted()).toEqual(
      writers.flatMap((writer) => writer.presentKeys()).toSorted(),
    );
    const swept = await sweepAll();
    for (const writer of writers) expect(await writer.verify(s3)).toEqual([]);
    console.info(
      `round ${round}: ${total(writers) - before} writes acknowledged; ` +
        `${swept.dropped} dropped blobs and ${swept.removed} orphans swept`,
    );
  }
  s3.close();
  for (const kind of ['put', 'putInParts', 'copy', 'delete'] as const)
    expect(writers.reduce((sum, { acknowledged }) => sum + acknowledged[kind], 0)).toBeGreaterThan(0);
});

test('a restarted server removes the files that the previous one left behind', async () => {
  const s3 = await openStore();
  await s3.put('dropped', Buffer.from('dropped'));
  const long = Date.now() - 3 * 3_600_000;
  await besideServer(async ({ url, db, folder }) => {
    const files = new BlobFiles(folder);
    const { rows } = await sql<{ id: string }>`
      SELECT blob_ids[1] AS id FROM stored_objects WHERE key LIKE '%/dropped'`.execute(db);
    const dropped = files.pathOf(rows[0]?.id ?? '');
    expect(existsSync(dropped)).toBe(true);
    await s3.delete('dropped');
    // One file in each folder, as the sweep visits one folder at a time.
    const orphans = SHARDS.map((shard) => files.pathOf(firstUuidAt(long).slice(0, -2) + shard));
    for (const path of orphans) {
      writeFileSync(path, 'nobody has it');
      utimesSync(path, new Date(long), new Date(long));
    }
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    server = await startServer(environment);
    await sql`UPDATE dropped_blobs SET dropped_at = now() - interval '10 minutes'`.execute(db);
    const queue = new JobQueue({ url, db, log, isWorker: false });
    await queue.start([]);
    await queue.boss.send('platform.sweep');
    await queue.stop();
    const isSwept = () => !existsSync(dropped) && orphans.some((path) => !existsSync(path));
    await until('the server has swept', isSwept);
    expect((await accountForBlobs({ db, folder })).missing).toEqual([]);
  });
  s3.close();
});
