/** Which bucket holds the objects of a database: one that is set up with another would not find them. */
import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { ApiError } from '../../http/errors.ts';

/** Says so in the database, where nothing else is said. An embedded store that nothing was put into may be left. */
export async function claimBucket(db: Db, bucket: string): Promise<void> {
  await sql`
    INSERT INTO object_store AS store (bucket) VALUES (${bucket})
    ON CONFLICT (is_only) DO UPDATE SET id = NULL, host = NULL, data_dir = NULL, bucket = excluded.bucket
     WHERE store.bucket IS NULL
       AND NOT EXISTS (SELECT FROM stored_objects) AND NOT EXISTS (SELECT FROM object_uploads)`.execute(db);
  const claimed = await db.selectFrom('object_store').select('bucket').executeTakeFirstOrThrow();
  if (claimed.bucket === null) throw isInEmbeddedStore();
  if (claimed.bucket !== bucket) throw isInOtherBucket(claimed.bucket, bucket);
}

function isInEmbeddedStore(): ApiError {
  return new ApiError(
    'configuration_error',
    'S3_BUCKET is set, but objects of this database lie in the embedded store.\n' +
      'To move them: npm run backup without the S3_* settings, then npm run restore with them, into an empty database.',
  );
}

function isInOtherBucket(claimed: string, given: string): ApiError {
  return new ApiError(
    'configuration_error',
    `The objects of this database lie in the bucket ${claimed}; S3_BUCKET is ${given}.\n` +
      `If they were all copied, let the database know: UPDATE object_store SET bucket = '${given.replaceAll("'", "''")}';`,
  );
}
