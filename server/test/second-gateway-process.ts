/** Starts a second gateway in another process, which acts as an external S3. */
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from './databases.ts';
import { atEndOfFile } from './end-of-file.ts';
import { makeFolder, spawnServer, until } from './processes.ts';

const ENTRY = join(import.meta.dirname, 'second-gateway.ts');

/** None of these values is a gateway's default. */
const SETTINGS = {
  region: 'eu-foreign-1',
  bucket: 'foreign-bucket',
  accessKeyId: 'FOREIGNACCOUNT000000',
  secretAccessKey: 'the-secret-of-the-foreign-account',
  stsRoleArn: 'arn:aws:iam::000000000000:role/drydock',
};

/** Stops when the test file ends. */
export async function startSecondGateway(): Promise<typeof SETTINGS & { readonly endpoint: string }> {
  const database = await createDatabase(inject('databaseUrl'));
  const environment = {
    DATABASE_URL: database.url,
    FOLDER: join(makeFolder(), 'objects'),
    BUCKET: SETTINGS.bucket,
    REGION: SETTINGS.region,
    ACCESS_KEY_ID: SETTINGS.accessKeyId,
    SECRET_ACCESS_KEY: SETTINGS.secretAccessKey,
  };
  const gateway = spawnServer(environment, { run: [ENTRY] });
  atEndOfFile(async () => {
    await gateway.stop();
    await database.drop();
  });
  const endpoint = await until('the second gateway runs', () => {
    return /runs on (\S+)\n/.exec(gateway.output().stdout)?.[1];
  });
  return { ...SETTINGS, endpoint };
}
