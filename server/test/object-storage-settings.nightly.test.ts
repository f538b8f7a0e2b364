/** Messages of a process about its object storage before it serves requests. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase } from './databases.ts';
import { FIRST_START } from './first-start.ts';
import { call, newDataDir, spawnServer, startServer } from './processes.ts';
import { startSecondGateway } from './second-gateway-process.ts';

const { apiKey: KEY } = FIRST_START;
const SHARED = { DRYDOCK_SECRET_KEY: 'a secret key of more than 32 characters' };
const CREDENTIALS = '/org/main/ws/main/storage/credentials';

async function openFleet(): Promise<typeof SHARED & { readonly DATABASE_URL: string }> {
  const database = await createDatabase(inject('databaseUrl'));
  onTestFinished(() => database.drop());
  return { ...SHARED, DATABASE_URL: database.url };
}

async function refuses(environment: Record<string, string>): Promise<string> {
  const refused = spawnServer(environment);
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  return refused.output().stderr;
}

test('a second host without a shared S3 is refused in every role', async () => {
  const fleet = await openFleet();
  const dataDir = newDataDir();
  const first = await startServer({ ...fleet, DRYDOCK_DATA_DIR: dataDir });
  for (const DRYDOCK_ROLE of ['server', 'worker', 'all']) {
    const output = await refuses({ ...fleet, DRYDOCK_ROLE, DRYDOCK_DATA_DIR: newDataDir() });
    expect(output).toContain(`The objects of this database lie in ${dataDir}`);
    expect(output).toContain('Several hosts need an S3 for their objects: set S3_BUCKET');
  }
  // The first server keeps running, and a second one beside it is accepted.
  const second = await startServer({ ...fleet, DRYDOCK_DATA_DIR: dataDir });
  expect((await call(first.url, KEY, 'GET', CREDENTIALS)).status).toBe(200);
  await Promise.all([first.stop(), second.stop()]);
});

test('a mistyped S3 records nothing in the database, and a missing role for credentials is reported', async () => {
  const fleet = await openFleet();
  const s3 = await startSecondGateway();
  const given = {
    ...fleet,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  const output = await refuses({ ...given, S3_BUCKET: 'mistyped' });
  expect(output).toContain(`The bucket mistyped at ${s3.endpoint} cannot be used`);
  const roleless = await startServer(given);
  expect(roleless.output().stderr).toMatch(/"level":40.*S3_STS_ROLE_ARN is not set/);
  expect(await call(roleless.url, KEY, 'GET', CREDENTIALS)).toMatchObject({
    status: 500,
    body: { type: 'configuration_error' },
  });
  await roleless.stop();
  const whole = await startServer({ ...given, S3_STS_ROLE_ARN: s3.stsRoleArn });
  expect(whole.output().stderr).not.toContain('S3_STS_ROLE_ARN');
  expect((await call(whole.url, KEY, 'GET', CREDENTIALS)).status).toBe(200);
  await whole.stop();
  expect(await refuses(fleet)).toContain(`lie in the bucket ${s3.bucket} of an S3: set S3_BUCKET`);
});

test('a process that listens on every address gives clients a reachable one, or warns that there is none', async () => {
  const fleet = await openFleet();
  const endpointOf = async (environment: Record<string, string>) => {
    const server = await startServer({ ...fleet, HOST: '0.0.0.0', ...environment });
    const port = new URL(/Objects \(S3\) +(\S+)/.exec(server.output().stdout)?.[1] ?? '').port;
    const { body } = await call<{ endpoint: string }>(server.url, KEY, 'GET', CREDENTIALS);
    await server.stop();
    return { endpoint: body.endpoint.replace(`:${port}`, ''), log: server.output().stderr };
  };
  const bare = await endpointOf({});
  expect(bare.endpoint).toBe('http://0.0.0.0');
  expect(bare.log).toMatch(/"level":40.*Set DRYDOCK_S3_PUBLIC_URL/);
  const named = await endpointOf({ DRYDOCK_PUBLIC_URL: 'http://localhost:0' });
  expect(named.endpoint).toBe('http://localhost');
  expect(named.log).not.toContain('DRYDOCK_S3_PUBLIC_URL');
});
