import { buildApp } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { connect } from '../src/platform/db/connect.ts';
import type { OpenApiDocument } from '../src/platform/http/openapi.ts';
import type { Log } from '../src/platform/log.ts';

/** The document of the application as it would be served with the default configuration. */
export async function describeApi(url: string, log: Log): Promise<OpenApiDocument> {
  const db = connect({ url, poolSize: 2, namedStatements: true, log });
  const app = await buildApp({ config: loadConfig({}), secretKey: 'only-for-the-document', db, log });
  const document = app.swagger();
  await app.close();
  await db.destroy();
  return document;
}
