/** Quotas of an organization: writes above one are refused, other organizations are not affected, and deletions free space. */
import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { writeQuotas } from '../src/platform/storage-limits/quotas.ts';
import { bundle } from './bundles.ts';
import { startTestServer } from './harness.ts';
import { addOrganization } from './other-organization.ts';
import { type CredentialsBody, openS3, toAccess } from './workspace-storage.ts';

const MIB = 1024 ** 2;
const server = await startTestServer();
const me = server.as(server.owner);
await addOrganization(server, server.owner, 'other');
await writeQuotas(server.db, { objects: 12 * MIB, registry: 3 * MIB, runtimes: null, spans: null });

interface Place {
  readonly s3: S3Client;
  readonly at: (name: string) => { Bucket: string; Key: string };
}
const opened: S3Client[] = [];
afterAll(() => opened.forEach((s3) => s3.destroy()));

async function open(org: string): Promise<Place> {
  const { body } = await me.get(`/org/${org}/ws/main/storage/credentials`);
  const credentials = body as CredentialsBody;
  const s3 = openS3(toAccess(credentials), { maxAttempts: 1 });
  opened.push(s3);
  return { s3, at: (name) => ({ Bucket: credentials.bucket, Key: `${credentials.prefix}${name}` }) };
}

const main = await open('main');
const other = await open('other');

const put = ({ s3, at }: Place, name: string, bytes: number) =>
  s3.send(new PutObjectCommand({ ...at(name), Body: randomBytes(bytes) })).then(
    () => 200,
    (error: { name: string; $metadata: { httpStatusCode?: number } }) =>
      `${error.$metadata.httpStatusCode} ${error.name}`,
  );
const remove = ({ s3, at }: Place, name: string) => s3.send(new DeleteObjectCommand(at(name)));

async function usedBytes(org: string): Promise<Record<string, number>> {
  const { body } = await me.get(`/org/${org}/usage/storage`);
  const items = body.items as { kind: string; used_bytes: number }[];
  return Object.fromEntries(items.map(({ kind, used_bytes }) => [kind, used_bytes]));
}

test('PutObject is refused above the quota of objects, and deletions free space', async () => {
  expect(await put(main, 'a', 5 * MIB)).toBe(200);
  expect(await put(main, 'b', 5 * MIB)).toBe(200);
  expect(await put(main, 'c', 3 * MIB)).toBe('429 QuotaExceeded');
  // A long body is refused before all of it has arrived.
  expect(await put(main, 'd', 20 * MIB)).toBe('429 QuotaExceeded');
  expect(await put(other, 'c', 3 * MIB)).toBe(200);
  expect(await usedBytes('main')).toMatchObject({ objects: 10 * MIB });
  // Replacing counts the difference.
  expect(await put(main, 'b', 7 * MIB)).toBe(200);
  expect(await put(main, 'b', 8 * MIB)).toBe('429 QuotaExceeded');
  await remove(main, 'a');
  expect(await usedBytes('main')).toMatchObject({ objects: 7 * MIB });
  expect(await put(main, 'c', 5 * MIB)).toBe(200);
  await Promise.all(['b', 'c'].map((name) => remove(main, name)));
  expect(await usedBytes('main')).toMatchObject({ objects: 0 });
});

test('UploadPart counts against the quota until the upload ends', async () => {
  const { s3, at } = main;
  const begin = async (name: string) => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(at(name)));
    const send = (PartNumber: number, bytes: number) =>
      s3.send(new UploadPartCommand({ ...at(name), UploadId, PartNumber, Body: randomBytes(bytes) }));
    return { UploadId, send };
  };
  const first = await begin('parts');
  const { ETag } = await first.send(1, 6 * MIB);
  await first.send(2, 5 * MIB);
  await expect(first.send(3, 5 * MIB)).rejects.toMatchObject({ name: 'QuotaExceeded' });
  expect(await put(main, 'beside', 2 * MIB)).toBe('429 QuotaExceeded');
  const { UploadId } = first;
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await s3.send(new CompleteMultipartUploadCommand({ ...at('parts'), UploadId, MultipartUpload }));
  expect(await usedBytes('main')).toMatchObject({ objects: 6 * MIB });
  const second = await begin('aborted');
  await second.send(1, 5 * MIB);
  await s3.send(new AbortMultipartUploadCommand({ ...at('aborted'), UploadId: second.UploadId }));
  expect(await usedBytes('main')).toMatchObject({ objects: 6 * MIB });
  await remove(main, 'parts');
});

const publish = (org: string, name: string, bytes: number) => {
  const body = bundle({ 'model.yaml': 'summary: x\n', 'weights.bin': randomBytes(bytes) });
  return me.put(`/org/${org}/models/${name}/1.0.0`, body, { 'content-type': 'application/gzip' });
};

test('publishModel is refused above the quota of the registry', async () => {
  expect(await publish('main', 'one', 2 * MIB)).toMatchObject({ status: 201 });
  const refused = await publish('main', 'two', 2 * MIB);
  expect(refused).toMatchObject({ status: 429, body: { type: 'usage_limit_exceeded_error' } });
  expect(refused.body.detail).toContain('quota of content of artifacts');
  expect(await me.get('/org/main/models/two/1.0.0')).toMatchObject({ status: 404 });
  expect(await publish('other', 'two', 2 * MIB)).toMatchObject({ status: 201 });
});

test('createModelUpload is refused when the announced size exceeds the quota of the registry', async () => {
  const announce = (name: string, bytes: number) => {
    const files = [{ path: 'weights.bin', sha256: randomBytes(32).toString('hex'), size_bytes: bytes }];
    return me.post(`/org/other/models/${name}/1.0.0/uploads`, { manifest: { summary: 'x' }, files });
  };
  expect(await announce('announced', 600_000)).toMatchObject({ status: 201 });
  expect(await announce('beyond', 600_000)).toMatchObject({ status: 429 });
});

test('pushTraces is refused above the quota of spans', async () => {
  const push = (org: string) => {
    const time = String(BigInt(Date.now()) * 1_000_000n);
    const value = { stringValue: randomBytes(10_000).toString('hex') };
    const ids = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
    const times = { startTimeUnixNano: time, endTimeUnixNano: time };
    const span = { ...ids, ...times, name: 'span', attributes: [{ key: 'text', value }] };
    return me.post(`/org/${org}/otel/traces`, { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  };
  const quotas = { objects: 12 * MIB, registry: 3 * MIB, runtimes: null };
  await writeQuotas(server.db, { ...quotas, spans: 100_000 });
  expect(await push('main')).toMatchObject({ status: 200 });
  // The remaining quota is cached for less than a second.
  await expect.poll(async () => (await push('main')).status).toBe(429);
  expect((await usedBytes('main')).spans).toBeGreaterThan(60_000);
  expect(await push('other')).toMatchObject({ status: 200 });
  await writeQuotas(server.db, { ...quotas, spans: null });
  await expect.poll(async () => (await push('main')).status).toBe(200);
});

test('getUserLimits names the fullest quota', async () => {
  const { body } = await me.get('/user/limits');
  expect(body).toMatchObject({ has_warnings: false, has_exceeded: false });
  expect(await put(main, 'most', 10 * MIB)).toBe(200);
  expect((await me.get('/user/limits')).body).toMatchObject({
    storage: { used: 10 * MIB, limit: 12 * MIB },
    has_warnings: true,
    has_exceeded: false,
  });
  await remove(main, 'most');
});
