/** The gateway under test in a child process, with the samples in it and links to them. */
import { loadConfig } from '@drydock/server/src/config.ts';
import { openStorage } from '@drydock/server/src/open-storage.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { Metrics } from '@drydock/server/src/platform/metrics/metrics.ts';
import { readSecretKey } from '@drydock/server/src/platform/secrets/secret-key.ts';
import type { StorageAddresses } from './requests.ts';
import { LARGE_BYTES, makeSample, SMALL_BYTES } from './samples.ts';
import { serve } from './serve.ts';

/** Large enough that no object is read repeatedly. */
const SMALL_COUNT = 100;
const expiresInSeconds = 3_600;

await serve<StorageAddresses>(async () => {
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel);
  const db = connect({ ...config.database, url: config.database.url ?? '', log });
  const secretKeys = { current: readSecretKey(config), other: undefined };
  const { storage } = await openStorage({ config, secretKeys, db, log, metrics: new Metrics(log) });
  const keep = async (key: string, bytes: number) => {
    await storage.put(key, makeSample(bytes));
    return storage.presignGet(key, { expiresInSeconds });
  };
  const puts = Array.from({ length: Number(process.env.BENCH_PUTS) }, (_, index) =>
    storage.presignPut(`bench/puts/${index}`, { expiresInSeconds, sizeBytes: SMALL_BYTES }),
  );
  return {
    large: await keep('bench/large', LARGE_BYTES),
    small: await Promise.all(
      Array.from({ length: SMALL_COUNT }, (_, index) => keep(`bench/small/${index}`, SMALL_BYTES)),
    ),
    puts: await Promise.all(puts),
  };
});
