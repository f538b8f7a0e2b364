/** Records which bucket holds the objects of a database: a server configured with another would not find them. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { ApiError } from '../../errors.ts';
import type { ObjectStorage } from '../object-storage.ts';

type Bucket = Pick<ObjectStorage, 'bucket' | 'endpoint'>;

/**
 * Stores the bucket in the database if none is stored, once the bucket has been reached: a mistyped name must not lock out the right one.
 * An empty embedded store may be replaced.
 */
export async function claimBucket(db: Db, storage: Bucket & Pick<ObjectStorage, 'check'>): Promise<void> {
  const before = await findClaim(db);
  if (before?.bucket === undefined || before.bucket === null) {
    if (before?.hasObjects) throw isInEmbeddedStore();
    await storage.check().catch((cause: unknown) => {
      throw cannotBeUsed(storage, cause);
    });
    await writeClaim(db, storage);
  }
  const claimed = await findClaim(db);
  if (!claimed?.bucket) throw isInEmbeddedStore();
  if (claimed.bucket !== storage.bucket || claimed.endpoint !== storage.endpoint)
    throw isInOtherBucket({ bucket: claimed.bucket, endpoint: claimed.endpoint }, storage);
}

interface Claim {
  readonly bucket: string | null;
  readonly endpoint: string | null;
  readonly hasObjects: boolean;
}

async function findClaim(db: Db): Promise<Claim | undefined> {
  const { rows } = await sql<Claim>`
    SELECT bucket, endpoint,
           EXISTS (SELECT FROM stored_objects) OR EXISTS (SELECT FROM object_uploads) AS "hasObjects"
      FROM object_store`.execute(db);
  return rows[0];
}

async function writeClaim(db: Db, { bucket, endpoint }: Bucket): Promise<void> {
  await sql`
    INSERT INTO object_store AS store (bucket, endpoint) VALUES (${bucket}, ${endpoint})
    ON CONFLICT (is_only) DO UPDATE
       SET id = NULL, host = NULL, data_dir = NULL, bucket = excluded.bucket, endpoint = excluded.endpoint
     WHERE store.bucket IS NULL
       AND NOT EXISTS (SELECT FROM stored_objects) AND NOT EXISTS (SELECT FROM object_uploads)`.execute(db);
}

function isInEmbeddedStore(): ApiError {
  return new ApiError(
    'configuration_error',
    'S3_BUCKET is set, but objects of this database lie in the embedded store.\n' +
      'To move them: npm run backup without the S3_* settings, then npm run restore with them, into an empty database.',
  );
}

function cannotBeUsed(storage: Bucket, cause: unknown): ApiError {
  return new ApiError(
    'configuration_error',
    `${capitalized(nameOf(storage))} cannot be used: ${(cause as Error).message}\n` +
      'Correct S3_BUCKET, S3_ENDPOINT, S3_REGION or the keys, or make the bucket. Nothing was noted in the database.',
    { cause },
  );
}

function isInOtherBucket(claimed: Bucket, given: Bucket): ApiError {
  const set = `bucket = ${quoted(given.bucket)}, endpoint = ${quoted(given.endpoint)}`;
  return new ApiError(
    'configuration_error',
    `The objects of this database lie in ${nameOf(claimed)}; S3_BUCKET and S3_ENDPOINT name ${nameOf(given)}.\n` +
      'If that is the same one under another address, or they were all copied, let the database know: ' +
      `UPDATE object_store SET ${set};`,
  );
}

const nameOf = ({ bucket, endpoint }: Bucket) => `the bucket ${bucket} at ${endpoint ?? 'AWS'}`;
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const quoted = (text: string | null) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`);
