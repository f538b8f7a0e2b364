/** The real application as a separate process, with a resource that has events, for tests with several processes. */
import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { openStorage } from '../src/open-storage.ts';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';
import { readSecretKey } from '../src/platform/secrets/secret-key.ts';
import { eventRoutes } from './event-routes.ts';

const config = loadConfig(process.env);
const log = createLog(config.logLevel);
const db = connect({ ...config.database, url: config.database.url ?? '', log });
const { directUrl = '' } = config.database;
const moreRoutes = [eventRoutes(db)];
const secretKey = readSecretKey(config);
const metrics = new Metrics(log);
const secretKeys = { current: secretKey, other: undefined };
const { storage, close } = await openStorage({ config, secretKeys, db, log, metrics });
const app = await buildApp({ config, secretKey, db, storage, directUrl, log, metrics, moreRoutes });
process.once('SIGTERM', () => {
  void app
    .close()
    .then(close)
    .then(() => db.destroy());
});
console.log(`runs on ${await app.listen({ host: config.host, port: config.port })}`);
