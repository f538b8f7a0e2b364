/** A second gateway as a separate process that acts as an external S3: an account with keys, and a token service. */
import { createSigner } from '../src/platform/auth/signing.ts';
import { connect } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { EmbeddedStore } from '../src/platform/object-storage/embedded/embedded-store.ts';
import { Sessions } from '../src/platform/object-storage/embedded/sessions.ts';
import { startGateway } from '../src/storage/gateway/gateway.ts';
import { createTokenService } from './token-service.ts';

const { DATABASE_URL: url = '', FOLDER: folder = '', BUCKET: bucket = '', REGION: region = '' } = process.env;
const { ACCESS_KEY_ID: accessKeyId = '', SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env;

const log = createLog('warn');
const db = connect({ url, poolSize: 8, namedStatements: true, log });
const store = new EmbeddedStore({ db, folder });
await store.files.prepare();
const signer = createSigner('foreign-secret-key-foreign-secret-key');
const sessions = new Sessions({ signer, region, accounts: [{ accessKeyId, secretAccessKey }] });
const gateway = await startGateway({
  host: '127.0.0.1',
  port: 0,
  store,
  sessions,
  bucket,
  region,
  log,
  handleService: createTokenService(sessions),
});
process.once('SIGTERM', () => void gateway.close().then(() => db.destroy()));
console.log(`runs on http://127.0.0.1:${gateway.port}`);
