/** The server under test, in a process of its own: the real application, with one route more that reads nothing. */
import { buildApp } from '@drydock/server/src/app.ts';
import { loadConfig } from '@drydock/server/src/config.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import { readSecretKey } from '@drydock/server/src/platform/secrets/secret-key.ts';
import { sampleRoutes } from './sample-routes.ts';
import { serve } from './serve.ts';

await serve(async () => {
  const config = loadConfig(process.env);
  const secretKey = readSecretKey(config);
  const log = createLog(config.logLevel);
  const db = connect({ ...config.database, url: config.database.url ?? '', log });
  const app = await buildApp({ config, secretKey, db, log, moreRoutes: [sampleRoutes] });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return { oneRow: origin, noStore: origin };
});
