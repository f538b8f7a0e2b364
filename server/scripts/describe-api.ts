import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { openStorage } from '../src/open-storage.ts';
import { connect } from '../src/platform/db/connect.ts';
import type { OpenApiDocument } from '../src/platform/http/openapi/openapi.ts';
import type { Log } from '../src/platform/log.ts';
import { Metrics } from '../src/platform/metrics/metrics.ts';

/** Builds the document of the application as it is served with the default configuration. */
export async function describeApi(url: string, dataDir: string, log: Log): Promise<OpenApiDocument> {
  const db = connect({ url, poolSize: 2, namedStatements: true, log });
  const config = loadConfig({ DRYDOCK_DATA_DIR: dataDir, DRYDOCK_S3_PORT: '0' });
  const secretKey = 'only-for-the-document';
  const metrics = new Metrics(log);
  const secretKeys = { current: secretKey, other: undefined };
  const { storage, close } = await openStorage({ config, secretKeys, db, log, metrics });
  const app = await buildApp({ config, secretKey, db, storage, log, metrics });
  const document = app.swagger();
  await app.close();
  await close();
  await db.destroy();
  return document;
}
