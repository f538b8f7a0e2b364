/** A real gateway on a store of its own, and clients for it. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import { createSigner } from '../src/platform/auth/signing.ts';
import { createLog } from '../src/platform/log.ts';
import { SHARDS } from '../src/platform/object-storage/embedded/blobs/blob-files.ts';
import { type Session, Sessions } from '../src/platform/object-storage/embedded/sessions.ts';
import type { StorageGrant } from '../src/platform/object-storage/object-storage.ts';
import { toSessionPolicy } from '../src/platform/object-storage/session-policy.ts';
import { type GatewayOptions, startGateway } from '../src/storage/gateway/gateway.ts';
import { createTestStore, type TestStore } from './embedded-stores.ts';
import { atEndOfFile } from './end-of-file.ts';
import { type RawResponse, sendRaw } from './raw-http.ts';
import { type RequestToSign, signRequest } from './s3-requests.ts';

export const BUCKET = 'drydock';
export const REGION = 'us-east-1';

export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface TestGateway extends TestStore {
  readonly port: number;
  readonly endpoint: string;
  readonly sessions: Sessions;
  /** Keys without restrictions. */
  readonly root: Keys;
  issue(grant: StorageGrant): Session;
  /** Sends a raw request, signed with the root keys by default. */
  ask(request: Ask): Promise<RawResponse>;
  /** Lists files that nothing refers to. */
  listUnowned(): Promise<string[]>;
  /** Closed when the test file ends. */
  client(keys: Keys, config?: S3ClientConfig): S3Client;
}

type Ask = Omit<RequestToSign, 'host' | 'credentials'> & { readonly credentials?: Keys };

/** Stops when the test file ends. */
export async function startTestGateway(
  options: Partial<GatewayOptions> = {},
  createService?: (sessions: Sessions) => GatewayOptions['handleService'],
): Promise<TestGateway> {
  const root = { accessKeyId: 'AKIDTESTTESTTESTTEST', secretAccessKey: 'test-secret-access-key' };
  const test = await createTestStore();
  const signer = createSigner('test-secret-key-test-secret-key-test');
  const sessions = new Sessions({ signer, region: REGION, accounts: [root] });
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    store: test.store,
    sessions,
    bucket: BUCKET,
    region: REGION,
    log: createLog('fatal'),
    handleService: createService?.(sessions),
    ...options,
  });
  const endpoint = `http://127.0.0.1:${gateway.port}`;
  const clients: S3Client[] = [];
  atEndOfFile(async () => {
    for (const client of clients) client.destroy();
    await gateway.close();
  });
  return {
    ...test,
    port: gateway.port,
    endpoint,
    sessions,
    root,
    ask: (request) => {
      const host = `127.0.0.1:${gateway.port}`;
      return sendRaw(gateway.port, signRequest({ method: 'GET', host, credentials: root, ...request }));
    },
    listUnowned: async () => {
      const shards = await Promise.all(SHARDS.map((shard) => test.store.files.listShard(shard)));
      const { rows } = await sql<{ id: string }>`
        SELECT unnest(blob_ids) AS id FROM stored_objects
        UNION ALL SELECT blob_id FROM object_upload_parts
        UNION ALL SELECT id FROM dropped_blobs`.execute(test.db);
      const owned = new Set(rows.map(({ id }) => id));
      return [...shards.flat().filter((id) => !owned.has(id)), ...(await test.store.files.listDrafts())];
    },
    issue: (grant) => sessions.issue(toSessionPolicy(BUCKET, grant), 3_600),
    client: (credentials, config) => {
      const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials, ...config });
      clients.push(client);
      return client;
    },
  };
}

/** Returns the error code that a client of the SDK receives. */
export const failure = (sending: Promise<unknown>): Promise<string> =>
  sending.then(
    () => 'none',
    (error: Error) => error.name,
  );
