/** Multipart uploads with an S3 server that loses responses, refuses parts, or keeps unfinished uploads. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openScriptedS3 } from '../../../../../test/scripted-s3.ts';
import { outsideCleanUps } from '../clean-ups.ts';

const MIB = 2 ** 20;
const CREATED = '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>';
const NO_UPLOAD = '<Error><Code>NoSuchUpload</Code></Error>';
const md5 = (content: Buffer) => createHash('md5').update(content).digest();

/** Completes an upload without a response, and does not know it when the request is repeated. */
function createForgetful(etagOf: (digests: readonly Buffer[]) => string) {
  const parts = new Map<number, Buffer>();
  let completions = 0;
  const result = async (request: IncomingMessage, response: ServerResponse) => {
    const query = new URL(request.url ?? '', 'http://s3').searchParams;
    const body = await buffer(request);
    if (request.method === 'HEAD') {
      const digests = [...parts].toSorted(([a], [b]) => a - b).map(([, digest]) => digest);
      response.writeHead(200, { etag: `"${etagOf(digests)}"`, 'content-length': String(20 * MIB) }).end();
    } else if (request.method === 'PUT') {
      parts.set(Number(query.get('partNumber')), md5(body));
      response.writeHead(200, { etag: `"${md5(body).toString('hex')}"` }).end();
    } else if (query.has('uploads')) response.end(CREATED);
    else if (query.has('uploadId') && request.method === 'POST' && ++completions === 1) response.destroy();
    else response.writeHead(404).end(NO_UPLOAD);
  };
  return { listener: (...args: Parameters<typeof result>) => void result(...args), count: () => completions };
}

const toEtag = (digests: readonly Buffer[]) =>
  `${md5(Buffer.concat(digests)).toString('hex')}-${digests.length}`;

test('an upload whose last response was lost succeeds', async () => {
  const { listener, count } = createForgetful(toEtag);
  const storage = await openScriptedS3(listener, { maxSilenceMs: 5_000 });
  expect(await storage.put('a', Buffer.alloc(20 * MIB, 'x'))).toMatchObject({ sizeBytes: 20 * MIB });
  expect(count()).toBe(2);
});

test('an upload whose last response was lost fails if another object exists', async () => {
  const { listener } = createForgetful(() => 'of-an-older-object');
  const storage = await openScriptedS3(listener, { maxSilenceMs: 5_000 });
  await expect(storage.put('a', Buffer.alloc(20 * MIB, 'x'))).rejects.toMatchObject({
    message: 'The object storage answered NoSuchUpload (404).',
  });
});

test('no part is copied after one has failed, and the abort comes last', async () => {
  const events: string[] = [];
  const result = async (request: IncomingMessage, response: ServerResponse) => {
    const part = /partNumber=(\d+)/.exec(request.url ?? '')?.[1];
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': '100', etag: '"e"' }).end();
    else if (request.method === 'POST') response.end(CREATED);
    else if (request.method === 'DELETE') {
      events.push('abort');
      response.writeHead(204).end();
    } else {
      events.push('begin');
      if (part === '2') response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      else {
        await sleep(100);
        response.end('<CopyPartResult><ETag>"e"</ETag></CopyPartResult>');
      }
      events.push('end');
    }
  };
  const storage = await openScriptedS3((...args) => void result(...args), {
    copySizes: { wholeBytes: 1, partBytes: 1 },
    maxSilenceMs: 5_000,
  });
  await expect(storage.copy('a', 'b')).rejects.toMatchObject({
    message: 'The object storage answered AccessDenied (403).',
  });
  await sleep(300);
  const begun = events.filter((event) => event === 'begin').length;
  expect(begun).toBeLessThan(10);
  expect(events.filter((event) => event === 'end')).toHaveLength(begun);
  expect(events.at(-1)).toBe('abort');
});

test('uploads of the server that were idle for a week are aborted, with one check per hour', async () => {
  const DAY_MS = 86_400_000;
  const upload = (key: string, ageDays: number) =>
    `<Upload><Key>${key}</Key><UploadId>id</UploadId>
     <Initiated>${new Date(Date.now() - ageDays * DAY_MS).toISOString()}</Initiated></Upload>`;
  const requests: string[] = [];
  const storage = await openScriptedS3((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (request.method === 'DELETE') response.writeHead(204).end();
    else
      response.end(`<ListMultipartUploadsResult>
        ${upload('others/old', 8)}${upload('orgs/1/fresh', 6)}${upload('orgs/1/old', 8)}
        ${upload('registry/1/fresh', 6)}${upload('registry/1/old', 8)}
      </ListMultipartUploadsResult>`);
  });
  const [cleanUp] = outsideCleanUps(storage);
  const run = () => cleanUp?.run(undefined as never);
  expect(await run()).toBe(2);
  expect(requests).toEqual([
    expect.stringMatching('GET /b/?$'),
    'DELETE /b/orgs/1/old',
    'DELETE /b/registry/1/old',
  ]);
  expect(await run()).toBe(0);
  expect(requests).toHaveLength(3);
});
