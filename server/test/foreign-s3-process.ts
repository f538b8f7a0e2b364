/** Starts a gateway in another process that is to whoever uses it what a foreign S3 is. */
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { createDatabase } from './databases.ts';
import { makeFolder, spawnServer, until } from './processes.ts';

const ENTRY = join(import.meta.dirname, 'foreign-s3.ts');

/** None of them is what a gateway has by itself. */
const SETTINGS = {
  region: 'eu-foreign-1',
  bucket: 'foreign-bucket',
  accessKeyId: 'FOREIGNACCOUNT000000',
  secretAccessKey: 'the-secret-of-the-foreign-account',
  stsRoleArn: 'arn:aws:iam::000000000000:role/drydock',
};

/** Ends by itself when the test file ends. */
export async function startForeignS3(): Promise<typeof SETTINGS & { readonly endpoint: string }> {
  const database = await createDatabase(inject('databaseUrl'));
  const environment = {
    DATABASE_URL: database.url,
    FOLDER: join(makeFolder(), 'objects'),
    BUCKET: SETTINGS.bucket,
    REGION: SETTINGS.region,
    ACCESS_KEY_ID: SETTINGS.accessKeyId,
    SECRET_ACCESS_KEY: SETTINGS.secretAccessKey,
  };
  const foreign = spawnServer(environment, { run: [ENTRY] });
  afterAll(async () => {
    await foreign.stop();
    await database.drop();
  });
  const endpoint = await until('the foreign S3 runs', () => {
    return /runs on (\S+)\n/.exec(foreign.output().stdout)?.[1];
  });
  return { ...SETTINGS, endpoint };
}
