/** Opens the object storage of this process: a configured S3, or the embedded store with its gateway. */
import { type Config, gatewayUrl, isWildcard } from './config.ts';
import { createSigner } from './platform/auth/signing.ts';
import type { CleanUp } from './platform/clean-up.ts';
import type { Db } from './platform/db/connect.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import { embeddedCleanUps } from './platform/object-storage/embedded/clean-ups.ts';
import { EmbeddedStorage } from './platform/object-storage/embedded/embedded-storage.ts';
import { EmbeddedStore } from './platform/object-storage/embedded/embedded-store.ts';
import { claimStoreFolder } from './platform/object-storage/embedded/folder/store-folder.ts';
import { Sessions } from './platform/object-storage/embedded/sessions.ts';
import type { ObjectStorage } from './platform/object-storage/object-storage.ts';
import { claimBucket } from './platform/object-storage/outside/bucket-claim.ts';
import { outsideCleanUps } from './platform/object-storage/outside/clean-ups.ts';
import { openOutsideStorage } from './platform/object-storage/outside/open-outside-storage.ts';
import type { SecretKeys } from './platform/secrets/secret-key.ts';
import type { DiskReserve } from './platform/storage-limits/disk-reserve.ts';
import { startGateway } from './storage/gateway/gateway.ts';

const BUCKET = 'drydock';
/**
 * A region name that no client knows: for the oldest AWS regions some clients still sign links with an obsolete signature that must not be
 * accepted.
 */
const REGION = 'local';

export interface StorageOptions {
  readonly config: Pick<Config, 'dataDir' | 'host' | 'publicUrl' | 'role' | 's3' | 'gateway'>;
  readonly secretKeys: SecretKeys;
  readonly db: Db;
  readonly disk?: DiskReserve | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface OpenStorage {
  readonly storage: ObjectStorage;
  readonly cleanUps: readonly CleanUp[];
  /** Accepts no more requests of S3 clients, and completes the running ones. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export async function openStorage(options: StorageOptions): Promise<OpenStorage> {
  const { s3 } = options.config;
  return s3 ? openOutside(s3, options) : openEmbedded(options);
}

async function openOutside(s3: NonNullable<Config['s3']>, { db, log }: StorageOptions): Promise<OpenStorage> {
  const storage = await openOutsideStorage(s3);
  try {
    await claimBucket(db, storage);
  } catch (error) {
    await storage.close();
    throw error;
  }
  if (!s3.stsRoleArn) {
    log.warn(
      'S3_STS_ROLE_ARN is not set: nobody gets credentials for the objects of a workspace. Set it to the role that is to be assumed for them.',
    );
  }
  return {
    storage,
    cleanUps: outsideCleanUps(storage),
    drain: async () => undefined,
    close: () => storage.close(),
  };
}

async function openEmbedded({
  config,
  secretKeys,
  db,
  disk,
  log,
  metrics,
}: StorageOptions): Promise<OpenStorage> {
  const folder = await claimStoreFolder({ db, dataDir: config.dataDir });
  const store = new EmbeddedStore({ db, folder, disk });
  const signer = createSigner(secretKeys.current, secretKeys.other);
  const sessions = new Sessions({ signer, region: REGION });
  const { host } = config;
  // A worker creates links to the gateways of the servers, and has no gateway itself.
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
  if (isWildcard(new URL(endpoint).hostname)) {
    log.warn(
      `Links and credentials for objects name ${endpoint}, where other machines reach nothing. Set DRYDOCK_S3_PUBLIC_URL, or DRYDOCK_PUBLIC_URL, to an address of this one.`,
    );
  }
  const storage = new EmbeddedStorage({ store, sessions, bucket: BUCKET, region: REGION, endpoint });
  let drained: Promise<void> | undefined;
  const drain = async () => (drained ??= gateway?.close());
  return {
    storage,
    cleanUps: embeddedCleanUps(store),
    drain,
    close: async () => {
      await drain();
      await storage.close();
    },
  };
}
