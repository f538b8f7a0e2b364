/** The object storage of this process: an S3 that was configured, or the embedded store with its gateway. */
import { type Config, gatewayUrl } from './config.ts';
import { createSigner } from './platform/auth/signing.ts';
import type { Db } from './platform/db/connect.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import { embeddedCleanUps } from './platform/object-storage/embedded/clean-ups.ts';
import { EmbeddedStorage } from './platform/object-storage/embedded/embedded-storage.ts';
import { EmbeddedStore } from './platform/object-storage/embedded/embedded-store.ts';
import { Sessions } from './platform/object-storage/embedded/sessions.ts';
import { claimStoreFolder } from './platform/object-storage/embedded/store-folder.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import { claimBucket } from './platform/object-storage/outside/bucket-claim.ts';
import { openOutsideStorage } from './platform/object-storage/outside/open-outside-storage.ts';
import type { SecretKeys } from './platform/secrets/secret-key.ts';
import type { CleanUp } from './platform/sweeper/clean-up.ts';
import { startGateway } from './storage/gateway/gateway.ts';

const BUCKET = 'drydock';
/** One that no client knows: for the oldest regions of AWS some still make links with a signature that nobody should take. */
const REGION = 'local';

export interface StorageOptions {
  readonly config: Pick<Config, 'dataDir' | 'host' | 'role' | 's3' | 'gateway'>;
  readonly secretKeys: SecretKeys;
  readonly db: Db;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface OpenStorage {
  readonly storage: ObjectStorage;
  readonly cleanUps: readonly CleanUp[];
  /** Where clients reach it; null where they look by themselves. */
  readonly endpoint: string | null;
  /** Takes no more requests of S3 clients, and answers those under way. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const { s3 } = options.config;
  return s3 ? openOutside(s3, options) : openEmbedded(options);
}

async function openOutside(s3: NonNullable<Config['s3']>, { db }: StorageOptions): Promise<OpenStorage> {
  await claimBucket(db, s3.bucket);
  const storage = await openOutsideStorage(s3);
  return {
    storage,
    cleanUps: [],
    endpoint: s3.endpoint ?? null,
    drain: async () => undefined,
    close: () => storage.close(),
  };
}

async function openEmbedded({ config, secretKeys, db, log, metrics }: StorageOptions): Promise<OpenStorage> {
  const folder = await claimStoreFolder({ db, dataDir: config.dataDir });
  const store = new EmbeddedStore({ db, folder });
  const signer = createSigner(secretKeys.current, secretKeys.other);
  const sessions = new Sessions({ signer, region: REGION });
  const { host } = config;
  // A worker makes links to the gateways of the servers, and has none itself.
  const gateway =
    config.role === 'worker'
      ? undefined
      : await startGateway({
          host,
          port: config.gateway.port,
          store,
          sessions,
          bucket: BUCKET,
          region: REGION,
          log,
          metrics,
        });
  const endpoint = gatewayUrl(config, gateway?.port ?? config.gateway.port);
  const storage = new EmbeddedStorage({ store, sessions, bucket: BUCKET, region: REGION, endpoint });
  let drained: Promise<void> | undefined;
  const drain = async () => (drained ??= gateway?.close());
  return {
    storage,
    cleanUps: embeddedCleanUps(store),
    endpoint,
    drain,
    close: async () => {
      await drain();
      await storage.close();
    },
  };
}
