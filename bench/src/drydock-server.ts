/** The server under test in a child process: the real application, with an additional route that reads nothing. */
import { buildApp } from '@drydock/server/src/app.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { openStorage } from '@drydock/server/src/open-storage.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { Metrics } from '@drydock/server/src/platform/metrics/metrics.ts';
import { readSecretKey } from '@drydock/server/src/platform/secrets/secret-key.ts';
import { sampleRoutes } from './sample-routes.ts';
import { serve } from './serve.ts';

await serve(async () => {
  const config = loadConfig(process.env);
  const secretKey = readSecretKey(config);
  const log = createLog(config.logLevel);
  const db = connect({ ...config.database, url: config.database.url ?? '', log });
  const metrics = new Metrics(log);
  const secretKeys = { current: secretKey, other: undefined };
  const { storage } = await openStorage({ config, secretKeys, db, log, metrics });
  const app = await buildApp({ config, secretKey, db, storage, log, metrics, moreRoutes: [sampleRoutes] });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return { oneRow: origin, noStore: origin };
});
