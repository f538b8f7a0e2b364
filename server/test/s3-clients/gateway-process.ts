/** A server with its gateway, as a process of its own, and what the suite needs to know of it. */
import { createHash } from 'node:crypto';
import { afterAll, inject } from 'vitest';
import { createSigner } from '../../src/platform/auth/signing.ts';
import { connect } from '../../src/platform/db/connect.ts';
import { createLog } from '../../src/platform/log.ts';
import { ObjectIndex } from '../../src/platform/object-storage/embedded/object-index.ts';
import { Sessions } from '../../src/platform/object-storage/embedded/sessions.ts';
import { toSessionPolicy } from '../../src/platform/object-storage/session-policy.ts';
import { createDatabase } from '../databases.ts';
import { FIRST_START } from '../first-start.ts';
import { call, newDataDir, type RunningServer, startServer } from '../processes.ts';
import type { S3Access } from './s3-test-client.ts';

const SECRET_KEY = 'the secret key of a server that S3 clients use';
const EMPTY_ETAG = createHash('md5').digest('hex');
const PUTS_AT_ONCE = 8;

export interface GatewayProcess {
  readonly server: RunningServer;
  getAccess(): Promise<S3Access>;
  /** The same access, but that its time is over. */
  toExpired(access: S3Access): S3Access;
  /** Empty objects, made without a request for each. */
  makeObjects(keys: readonly string[]): Promise<void>;
}

/** Ends by itself when the test file ends. */
export async function startGatewayProcess(): Promise<GatewayProcess> {
  const database = await createDatabase(inject('databaseUrl'));
  const server = await startServer({
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: SECRET_KEY,
    DRYDOCK_DATA_DIR: newDataDir(),
    DRYDOCK_S3_PORT: '0',
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });
  return {
    server,
    getAccess: () => getAccess(server),
    toExpired: (access) => ({ ...access, ...issueExpired(access) }),
    makeObjects: (keys) => makeObjects(database.url, keys),
  };
}

interface CredentialsBody {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly region: string;
  readonly endpoint: string;
}

async function getAccess({ url }: RunningServer): Promise<S3Access> {
  const path = '/org/main/ws/main/storage/credentials';
  const { status, body } = await call<CredentialsBody>(url, FIRST_START.apiKey, 'GET', path);
  if (status !== 200) throw new Error(`no credentials: ${JSON.stringify(body)}`);
  const { bucket, prefix, region, endpoint } = body;
  return {
    bucket,
    prefix,
    region,
    endpoint,
    accessKeyId: body.access_key_id,
    secretAccessKey: body.secret_access_key,
    sessionToken: body.session_token,
  };
}

/** Nobody waits an hour: what the server would have issued then is issued here, with its key. */
function issueExpired({ bucket, prefix, region }: S3Access) {
  const sessions = new Sessions({ signer: createSigner(SECRET_KEY, undefined), region });
  return sessions.issue(toSessionPolicy(bucket, { prefix, access: 'write' }), -1);
}

async function makeObjects(url: string, keys: readonly string[]): Promise<void> {
  const db = connect({ url, poolSize: PUTS_AT_ONCE, namedStatements: true, log: createLog('fatal') });
  const index = new ObjectIndex(db);
  const left = keys.values();
  const work = async () => {
    for (const key of left)
      await index.put({ key, blobs: [], etag: EMPTY_ETAG, headers: {}, metadata: {}, checksum: undefined });
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, work));
  await db.destroy();
}
