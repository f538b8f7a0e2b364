/** Servers that misbehave, which a good one cannot be asked to do. The rest is in test/outside-storage.test.ts. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { OutsideStorage } from './outside-storage.ts';

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const KEYS = {
  region: 'us-east-1',
  bucket: 'b',
  accessKeyId: 'k',
  secretAccessKey: 's',
  stsRoleArn: 'arn:aws:iam:::role/r',
};

async function openAt(listener: RequestListener): Promise<OutsideStorage> {
  const storage = new OutsideStorage(
    { ...KEYS, endpoint: await startServer(listener) },
    { maxSilenceMs: 200 },
  );
  onTestFinished(() => storage.close());
  return storage;
}

test('silence ends by itself', async () => {
  let requests = 0;
  const storage = await openAt(() => requests++);
  await expect(storage.find('a')).rejects.toMatchObject({
    type: 'object_storage_error',
    message: 'The object storage did not answer in time.',
  });
  expect(requests).toBe(3);
});

test('a server that is busy for a moment is asked again', async () => {
  let requests = 0;
  const storage = await openAt((_request, response) => {
    response.statusCode = ++requests < 3 ? 503 : 200;
    response.end();
  });
  await expect(storage.check()).resolves.toBeUndefined();
  expect(requests).toBe(3);
});

test('one that stays busy is not asked for ever', async () => {
  let requests = 0;
  const storage = await openAt((_request, response) => {
    requests++;
    response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>later</Message></Error>');
  });
  await expect(storage.open('a')).rejects.toMatchObject({
    type: 'object_storage_error',
    message: 'The object storage answered SlowDown (503).',
  });
  expect(requests).toBe(3);
});

test('content that breaks off is an error, not a shorter object', async () => {
  const storage = await openAt((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50), () => response.destroy());
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toThrow(/aborted/);
});

test('content that stops coming is an error', async () => {
  const storage = await openAt((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50));
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toThrow();
});

test('a list that says there is more, but not where, is an error', async () => {
  const storage = await openAt((_request, response) => {
    response.end('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>');
  });
  await expect(storage.deleteUnder('a/')).rejects.toMatchObject({ type: 'object_storage_error' });
});

test('an answer without credentials is an error', async () => {
  const storage = await openAt((_request, response) => response.end('<html>Welcome</html>'));
  await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 900)).rejects.toMatchObject({
    type: 'object_storage_error',
  });
});
