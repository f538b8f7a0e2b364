/** Objects that S3 clients put into a running server are backed up beside it and read from another server after the restore. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, inject, test } from 'vitest';
import { runCommand } from './commands.ts';
import { createDatabase } from './databases.ts';
import { atEndOfFile } from './end-of-file.ts';
import { digest } from './object-places.ts';
import { makeFolder, newDataDir, type RunningServer, startServer } from './processes.ts';
import { startSecondGateway } from './second-gateway-process.ts';
import { getAccess, openS3 } from './workspace-storage.ts';

const KEY = `dd_${'s'.repeat(40)}`;
const DRYDOCK_SECRET_KEY = 'of these tests, and long enough to be one';
const PART_BYTES = 5 * 1024 * 1024;

/** Settings of a server on a database of its own. */
async function newSettings() {
  const database = await createDatabase(inject('databaseUrl'), 'template0');
  atEndOfFile(() => database.drop());
  return { DATABASE_URL: database.url, DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_SECRET_KEY };
}

async function openWorkspace(server: RunningServer) {
  const access = await getAccess(server.url, KEY);
  const client = openS3(access);
  atEndOfFile(() => client.destroy());
  return { client, Bucket: access.bucket, prefix: access.prefix };
}

type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

async function beginUpload({ client, Bucket, prefix }: Workspace, name: string, parts: readonly Buffer[]) {
  const target = { Bucket, Key: prefix + name };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  const Parts: { PartNumber: number; ETag: string | undefined }[] = [];
  for (const [index, Body] of parts.entries()) {
    const PartNumber = index + 1;
    const { ETag } = await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber, Body }));
    Parts.push({ PartNumber, ETag });
  }
  return { ...target, UploadId, MultipartUpload: { Parts } };
}

/** Digests by name. */
async function readAll({ client, Bucket, prefix }: Workspace) {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
  const found = new Map<string, string>();
  for (const { Key = '' } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    found.set(Key.slice(prefix.length), digest(Buffer.from((await Body?.transformToByteArray()) ?? [])));
  }
  return found;
}

const [first, second, third] = [randomBytes(PART_BYTES), randomBytes(PART_BYTES), Buffer.from('the end')];
const expected = new Map([
  ['dir/ö +%.txt', digest('small')],
  ['empty', digest('')],
  ['in parts', digest(Buffer.concat([first, second, third]))],
]);
const backup = join(makeFolder(), 'backup');
let unfinished: Awaited<ReturnType<typeof beginUpload>>;

beforeAll(async () => {
  const given = { ...(await newSettings()), DRYDOCK_INIT_API_KEY: KEY };
  const server = await startServer(given);
  const workspace = await openWorkspace(server);
  const put = (name: string, Body: Buffer) =>
    workspace.client.send(
      new PutObjectCommand({ Bucket: workspace.Bucket, Key: workspace.prefix + name, Body }),
    );
  await put('dir/ö +%.txt', Buffer.from('small'));
  await put('empty', Buffer.alloc(0));
  const whole = await beginUpload(workspace, 'in parts', [first, second, third]);
  await workspace.client.send(new CompleteMultipartUploadCommand(whole));
  unfinished = await beginUpload(workspace, 'unfinished', [second, first]);
  expect(await runCommand('backup', [backup], given)).toMatchObject({ code: 0, stderr: '' });
  await put('later', Buffer.from('not in the backup'));
  await server.stop();
});

async function restoreAndStart(given: Record<string, string>): Promise<RunningServer> {
  expect(await runCommand('restore', [backup], given)).toMatchObject({ code: 0, stderr: '' });
  return startServer(given);
}

test('objects and an unfinished upload move to another server', async () => {
  const server = await restoreAndStart({ DRYDOCK_DATA_DIR: newDataDir(), DRYDOCK_SECRET_KEY });
  const workspace = await openWorkspace(server);
  expect(await readAll(workspace)).toEqual(expected);
  await workspace.client.send(new CompleteMultipartUploadCommand(unfinished));
  const finished = digest(Buffer.concat([second, first]));
  expect(await readAll(workspace)).toEqual(new Map([...expected, ['unfinished', finished]]));
  await server.stop();
});

test('objects move from the embedded store to an external S3, where the server continues with them', async () => {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey, stsRoleArn } = await startSecondGateway();
  const server = await restoreAndStart({
    ...(await newSettings()),
    S3_ENDPOINT: endpoint,
    S3_REGION: region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_STS_ROLE_ARN: stsRoleArn,
  });
  const workspace = await openWorkspace(server);
  expect(workspace.Bucket).toBe(bucket);
  expect(await readAll(workspace)).toEqual(expected);
  await server.stop();
});
