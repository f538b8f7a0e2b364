/** Servers that misbehave, which a good one cannot be asked to do. The rest is in test/outside-storage-suite.ts. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openScriptedS3 } from '../../../../test/scripted-s3.ts';

const FAILURE = { type: 'object_storage_error' };

test('silence ends by itself', async () => {
  let requests = 0;
  const storage = await openScriptedS3(() => requests++);
  await expect(storage.find('a')).rejects.toMatchObject({
    type: 'object_storage_error',
    message: 'The object storage did not answer in time.',
  });
  expect(requests).toBe(3);
});

test('a server that is busy for a moment is asked again', async () => {
  let requests = 0;
  const storage = await openScriptedS3((_request, response) => {
    response.statusCode = ++requests < 3 ? 503 : 200;
    response.end();
  });
  await expect(storage.check()).resolves.toBeUndefined();
  expect(requests).toBe(3);
});

test('one that stays busy is not asked for ever', async () => {
  let requests = 0;
  const storage = await openScriptedS3((_request, response) => {
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
  const storage = await openScriptedS3((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50), () => response.destroy());
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage broke off in the middle of an object.',
  });
});

test('content that stops coming is an error', async () => {
  const storage = await openScriptedS3((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x'.repeat(50));
  });
  const opened = await storage.open('a');
  await expect(buffer(opened?.body ?? Readable.from([]))).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage stopped sending in the middle of an object.',
  });
});

test('whoever reads content may pause as long as they like', async () => {
  // More than what fits between here and there, so that the sender is held up.
  const content = Buffer.alloc(32 * 2 ** 20, 'x');
  const storage = await openScriptedS3((_request, response) => response.end(content));
  const opened = await storage.open('a');
  let bytes = 0;
  for await (const chunk of opened?.body ?? []) {
    if (bytes === 0) await sleep(1_000);
    bytes += (chunk as Buffer).length;
  }
  expect(bytes).toBe(content.length);
});

test('content that is not read to its end is not sent to its end', async () => {
  let isCut = false;
  const storage = await openScriptedS3((_request, response) => {
    response.on('close', () => (isCut = !response.writableFinished)).end(Buffer.alloc(32 * 2 ** 20));
  });
  const opened = await storage.open('a');
  opened?.body.destroy();
  await expect.poll(() => isCut).toBe(true);
});

test('a token service that is silent is not waited for long', async () => {
  let requests = 0;
  const storage = await openScriptedS3(() => requests++);
  await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 900)).rejects.toMatchObject({
    ...FAILURE,
    message: 'The object storage did not answer in time.',
  });
  expect(requests).toBe(2);
});

describe('a 404', () => {
  test('of a bucket is not the absence of an object', async () => {
    const storage = await openScriptedS3((_request, response) => {
      response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    });
    await expect(storage.open('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.find('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.copy('a', 'b')).rejects.toMatchObject(FAILURE);
  });

  test('of a proxy is not the absence of an object', async () => {
    const storage = await openScriptedS3((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html><body>Not Found</body></html>');
    });
    await expect(storage.open('a')).rejects.toMatchObject(FAILURE);
    await expect(storage.find('a')).rejects.toMatchObject(FAILURE);
  });

  test('of an object is one, and the bucket is not asked for every time', async () => {
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

test('what cannot be sent is the mistake of who gave it', async () => {
  const storage = await openScriptedS3((_request, response) => response.end());
  const mistake = { type: 'invalid_error', message: expect.not.stringContaining('reached') };
  await expect(storage.put('a', Buffer.from('x'), { metadata: { a: 'b\nc' } })).rejects.toMatchObject(
    mistake,
  );
  await expect(storage.put('\ud800', Buffer.from('x'))).rejects.toMatchObject(mistake);
  await expect(storage.find('\ud800')).rejects.toMatchObject(mistake);
});

test('a link without a name is to be saved too', async () => {
  const storage = await openScriptedS3((_request, response) => response.end());
  const link = new URL(await storage.presignGet('a.html', { expiresInSeconds: 60 }));
  expect(link.searchParams.get('response-content-disposition')).toBe('attachment');
});

test('a list that says there is more, but not where, is an error', async () => {
  const storage = await openScriptedS3((_request, response) => {
    response.end('<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>');
  });
  await expect(storage.deleteUnder('a/')).rejects.toMatchObject({ type: 'object_storage_error' });
});

test('an answer without credentials is an error', async () => {
  const storage = await openScriptedS3((_request, response) => response.end('<html>Welcome</html>'));
  await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 900)).rejects.toMatchObject({
    type: 'object_storage_error',
  });
});

describe('a list that never ends', () => {
  const page = (key: string, token: string) =>
    `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>
     <Contents><Key>${key}</Key><Size>1</Size></Contents></ListBucketResult>`;

  test.each<[string, (round: number) => string]>([
    ['the same page', () => page('a', 't')],
    ['two pages in turn', (round) => page(`a${round % 2}`, `t${round % 2}`)],
    ['the same keys behind ever new tokens', (round) => page('a', `t${round}`)],
  ])('%s', async (_what, answer) => {
    let round = 0;
    const storage = await openScriptedS3((_request, response) => response.end(answer(round++)));
    await expect(Array.fromAsync(storage.list(''))).rejects.toMatchObject(FAILURE);
    expect(round).toBeLessThan(5);
  });

  test('of what was deleted', async () => {
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

  test('of uploads', async () => {
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
