/** Misbehaving servers, which a real one cannot simulate. Other tests are in test/outside-storage-suite.ts. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openScriptedS3 } from '../../../../test/scripted-s3.ts';

const FAILURE = { type: 'object_storage_error' };
/** For servers that respond at once: on a busy machine, an attempt with a short timeout would end before its request arrives. */
const PATIENT = { maxSilenceMs: 60_000 };

test('a silent server causes a timeout', async () => {
  let requests = 0;
  const storage = await openScriptedS3(() => requests++, { maxSilenceMs: 500 });
  await expect(storage.find('a')).rejects.toMatchObject({
    type: 'object_storage_error',
    message: 'The object storage did not answer in time.',
  });
  expect(requests).toBe(3);
});

test('a request to a temporarily busy server is retried', async () => {
  let requests = 0;
  const storage = await openScriptedS3((_request, response) => {
    response.statusCode = ++requests < 3 ? 503 : 200;
    response.end();
  }, PATIENT);
  await expect(storage.check()).resolves.toBeUndefined();
  expect(requests).toBe(3);
});

test('a request to a permanently busy server fails in the end', async () => {
  let requests = 0;
  const storage = await openScriptedS3((_request, response) => {
    requests++;
    response.writeHead(503).end('<Error><Code>SlowDown</Code><Message>later</Message></Error>');
  }, PATIENT);
  await expect(storage.open('a')).rejects.toMatchObject({
    type: 'object_storage_error',
    message: 'The object storage answered SlowDown (503).',
  });
  expect(requests).toBe(3);
});

test('content that breaks off is an error, not a shorter object', async () => {
  const storage = await openScriptedS3((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50), () => response.destroy());
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage broke off in the middle of an object.',
  });
});

test('content that stalls is an error', async () => {
  const storage = await openScriptedS3((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50));
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage stopped sending in the middle of an object.',
  });
});

test('a reader of content may pause for longer than the socket may be silent', async () => {
  // More than the buffers in between hold, so that the sender is blocked.
  const content = Buffer.alloc(32 * 2 ** 20, 'x');
  const storage = await openScriptedS3((_request, response) => response.end(content));
  const opened = await storage.open('a');
  // A busy machine may need longer for a chunk; reading/steady-body.test.ts tests that timeout. Those of sockets are real ones.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let bytes = 0;
  for await (const chunk of opened?.body ?? []) {
    if (bytes === 0) await sleep(1_000);
    bytes += (chunk as Buffer).length;
  }
  expect(bytes).toBe(content.length);
});

test('content that is not read completely is not transferred completely', async () => {
  let isCut = false;
  const storage = await openScriptedS3((_request, response) => {
    response.on('close', () => (isCut = !response.writableFinished)).end(Buffer.alloc(32 * 2 ** 20));
  });
  const opened = await storage.open('a');
  opened?.body.destroy();
  await expect.poll(() => isCut).toBe(true);
});

test('a silent token service causes a short timeout', async () => {
  let requests = 0;
  const storage = await openScriptedS3(() => requests++);
  await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 900)).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage did not answer in time.',
  });
  expect(requests).toBe(2);
});

describe('responses with 404', () => {
  test('a 404 of a bucket does not count as a missing object', async () => {
    const storage = await openScriptedS3((_request, response) => {
      response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    });
    await expect(storage.open('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.find('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.copy('a', 'b')).rejects.toMatchObject(FAILURE);
  });

  test('a 404 of a proxy does not count as a missing object', async () => {
    const storage = await openScriptedS3((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html><body>Not Found</body></html>');
    });
    await expect(storage.open('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.find('a')).rejects.toMatchObject(FAILURE);
  });

  test('a 404 of an object counts as a missing object, and the bucket is not checked every time', async () => {
    const asked: string[] = [];
    const storage = await openScriptedS3((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      asked.push(`${request.method} ${path}`);
      response.writeHead(path === '/b' || path === '/b/' ? 200 : 404);
      response.end('<Error><Code>NoSuchKey</Code></Error>');
    });
    expect(await storage.find('x')).toBeUndefined();
    expect(await storage.find('y')).toBeUndefined();
    expect(await storage.open('z')).toBeUndefined();
    expect(asked).toEqual(['HEAD /b/x', expect.stringMatching('HEAD /b/?$'), 'HEAD /b/y', 'GET /b/z']);
  });
});

test("a request that cannot be sent is reported as the caller's mistake", async () => {
  const storage = await openScriptedS3((_request, response) => response.end());
  const mistake = { type: 'invalid_error', message: expect.not.stringContaining('reached') };
  await expect(storage.put('a', Buffer.from('x'), { metadata: { a: 'b\nc' } })).rejects.toMatchObject(
    mistake,
  );
  await expect(storage.put('\ud800', Buffer.from('x'))).rejects.toMatchObject(mistake);
  await expect(storage.find('\ud800')).rejects.toMatchObject(mistake);
});

test('a link without a filename is still a download', async () => {
  const storage = await openScriptedS3((_request, response) => response.end());
  const link = new URL(await storage.presignGet('a.html', { expiresInSeconds: 60 }));
  expect(link.searchParams.get('response-content-disposition')).toBe('attachment');
});

test('a truncated list without a continuation is an error', async () => {
  const storage = await openScriptedS3((_request, response) => {
    response.end('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>');
  });
  await expect(storage.deleteUnder('a/')).rejects.toMatchObject({ type: 'object_storage_error' });
});

test('a response without credentials is an error', async () => {
  const storage = await openScriptedS3((_request, response) => response.end('<html>Welcome</html>'));
  await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 900)).rejects.toMatchObject({
    type: 'object_storage_error',
  });
});

describe('endless lists', () => {
  const page = (key: string, token: string) =>
    `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>
     <Contents><Key>${key}</Key><Size>1</Size></Contents></ListBucketResult>`;

  test.each<[string, (round: number) => string]>([
    ['the same page', () => page('a', 't')],
    ['two pages in turn', (round) => page(`a${round % 2}`, `t${round % 2}`)],
    ['the same keys behind ever new tokens', (round) => page('a', `t${round}`)],
  ])('%s', async (_what, respond) => {
    let round = 0;
    const storage = await openScriptedS3((_request, response) => response.end(respond(round++)));
    await expect(Array.fromAsync(storage.list(''))).rejects.toMatchObject(FAILURE);
    expect(round).toBeLessThan(5);
  });

  test('an endless list of deleted objects is an error', async () => {
    const storage = await openScriptedS3((request, response) => {
      if (request.url?.includes('uploads')) response.end('<ListMultipartUploadsResult/>');
      else if (request.method === 'POST') response.end('<DeleteResult/>');
      else response.end('<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>');
    });
    await expect(storage.deleteUnder('a')).rejects.toMatchObject({
      ...FAILURE,
      message: 'The object storage goes on listing what was deleted.',
    });
  });

  test('an endless list of uploads is an error', async () => {
    const storage = await openScriptedS3((request, response) => {
      if (request.method === 'DELETE') response.writeHead(204).end();
      else
        response.end(`<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>
          <NextKeyMarker>a</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>
          <Upload><Key>a</Key><UploadId>1</UploadId></Upload></ListMultipartUploadsResult>`);
    });
    await expect(storage.deleteUnder('a')).rejects.toMatchObject(FAILURE);
  });
});
