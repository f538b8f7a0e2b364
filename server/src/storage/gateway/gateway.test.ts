/** Startup and shutdown of the gateway, and presigned links. */
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { expect, test } from 'vitest';
import { BUCKET, REGION, startTestGateway } from '../../../test/gateways.ts';
import { until } from '../../../test/processes.ts';
import { openRaw, toBytes } from '../../../test/raw-http.ts';
import { signRequest } from '../../../test/s3-requests.ts';
import { createLog } from '../../platform/log.ts';
import { presignUrl } from '../../platform/object-storage/sigv4/presign.ts';
import { startGateway } from './gateway.ts';

const gateway = await startTestGateway();
const { store, sessions } = gateway;
const session = gateway.issue({ prefix: 'mine/', access: 'write' });

test('a link signed by a client uploads and downloads an object with its metadata', async () => {
  const s3 = gateway.client(session);
  const Key = 'mine/linked ü';
  const toPut = new PutObjectCommand({ Bucket: BUCKET, Key, Metadata: { a: 'b' }, ACL: 'private' });
  const put = await fetch(await getSignedUrl(s3, toPut), { method: 'PUT', body: 'content' });
  expect(put.status).toBe(200);
  const toGet = new GetObjectCommand({
    Bucket: BUCKET,
    Key,
    ResponseContentDisposition: 'inline; filename=x',
  });
  const got = await fetch(await getSignedUrl(s3, toGet));
  expect(await got.text()).toBe('content');
  expect(got.headers.get('x-amz-meta-a')).toBe('b');
  expect(got.headers.get('content-disposition')).toBe('attachment; filename=x');
  const toShow = new PutObjectCommand({ Bucket: BUCKET, Key, ACL: 'public-read' });
  expect((await fetch(await getSignedUrl(s3, toShow), { method: 'PUT', body: 'x' })).status).toBe(501);
});

test('a link signed by the server needs no credentials', async () => {
  const link = (method: 'GET' | 'PUT') =>
    presignUrl({
      method,
      endpoint: gateway.endpoint,
      region: REGION,
      bucket: BUCKET,
      key: 'system/a b',
      credentials: sessions.own,
      expiresInSeconds: 60,
    });
  expect((await fetch(link('PUT'), { method: 'PUT', body: 'content' })).status).toBe(200);
  expect(await (await fetch(link('GET'))).text()).toBe('content');
});

test('closing the gateway finishes running requests and accepts no new ones', async () => {
  const options = { host: '127.0.0.1', port: 0, store, sessions, bucket: BUCKET, region: REGION };
  const closing = await startGateway({ ...options, log: createLog('fatal') });
  const idle = await openRaw(closing.port);
  const busy = await openRaw(closing.port);
  const request = signRequest({
    host: `127.0.0.1:${closing.port}`,
    path: `/${BUCKET}/late`,
    credentials: gateway.root,
    body: Buffer.alloc(1_000_000),
  });
  const bytes = toBytes(request);
  busy.write(bytes.subarray(0, -3));
  await until('the body is being read', async () => (await store.files.listDrafts()).length > 0);
  const closed = closing.close();
  await idle.closed;
  busy.write(bytes.subarray(-3));
  expect((await busy.readResponse()).status).toBe(200);
  await closed;
  expect(await store.index.find('late')).toBeDefined();
  await expect(fetch(`http://127.0.0.1:${closing.port}/`)).rejects.toThrow();
});

test('starting the gateway fails if the port is in use', async () => {
  const options = {
    host: '127.0.0.1',
    store,
    sessions,
    bucket: BUCKET,
    region: REGION,
    log: createLog('fatal'),
  };
  await expect(startGateway({ ...options, port: gateway.port })).rejects.toThrow('EADDRINUSE');
});
