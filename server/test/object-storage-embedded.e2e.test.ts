/** Runs the object-storage suite on the embedded store and its gateway. */
import { afterAll, beforeAll, inject } from 'vitest';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import type { ObjectStorage } from '../src/platform/object-storage/object-storage.ts';
import { createDatabase } from './databases.ts';
import { openTestStorage } from './harness.ts';
import { describeObjectStorage } from './object-storage-suite.ts';

let storage: ObjectStorage;
let end: () => Promise<void>;

beforeAll(async () => {
  const database = await createDatabase(inject('databaseUrl'));
  const db = connect({ url: database.url, poolSize: 8, namedStatements: true, log: createLog('fatal') });
  const opened = await openTestStorage(db);
  storage = opened.storage;
  end = async () => {
    await opened.close();
    await db.destroy();
    await database.drop();
  };
});

afterAll(() => end());

describeObjectStorage('the embedded store', () => storage);
