/** Temporary credentials, tested with the SDK: everything granted works, and the store refuses everything else. */

import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type {
  ObjectStorage,
  StorageCredentials,
  StorageGrant,
} from '../../src/platform/object-storage/object-storage.ts';
import type { RefusedInside, Workbench } from './workbench.ts';

const HOUR_SECONDS = 3_600;
const PART_BYTES = 5 * 2 ** 20;

export function describeCredentials(at: Workbench): void {
  const { refusedInside = [], findsUploads = true, guardsTokens = true } = at.options;
  const expectedInside = (what: RefusedInside) => (refusedInside.includes(what) ? 'denied' : 'done');
  const newPrefix = () => at.newPrefix();

  describe('temporary credentials', () => {
    let storage: ObjectStorage;
    let bucket: string;

    beforeAll(() => {
      ({ storage } = at);
      ({ bucket } = storage);
    });

    const issue = (prefix: string, access: StorageGrant['access'] = 'write', seconds = HOUR_SECONDS) =>
      storage.issueCredentials({ prefix, access }, seconds);
    const connectAs = async (prefix: string, access?: StorageGrant['access']) =>
      toClient(await issue(prefix, access));
    const put = (key: string) => storage.put(key, Buffer.from('content'));

    test('state their bucket, prefix and expiry', async () => {
      for (const seconds of [900, HOUR_SECONDS]) {
        const before = Date.now();
        const credentials = await issue(newPrefix(), 'write', seconds);
        const issuedAt = credentials.expiresAt.getTime() - seconds * 1_000;
        expect(issuedAt).toBeGreaterThan(before - 10_000);
        expect(issuedAt).toBeLessThan(Date.now() + 10_000);
        expect(credentials.accessKeyId).not.toBe('');
        expect(credentials.sessionToken.length).toBeGreaterThan(50);
        expect(credentials.region).toMatch(/^[a-z0-9-]+$/);
      }
    });

    test('allow everything under the prefix', async () => {
      const prefix = newPrefix();
      const s3 = await connectAs(prefix);
      const Key = `${prefix}a b+ü.txt`;
      const where = { Bucket: bucket, Key };
      await s3.send(new PutObjectCommand({ ...where, Body: 'content' }));
      const got = await s3.send(new GetObjectCommand(where));
      expect(await got.Body?.transformToString()).toBe('content');
      expect(await s3.send(new HeadObjectCommand(where))).toMatchObject({ ContentLength: 7 });
      const CopySource = encodeURIComponent(`${bucket}/${Key}`);
      await s3.send(new CopyObjectCommand({ Bucket: bucket, Key: `${prefix}copy`, CopySource }));
      const listed = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
      expect(listed.Contents?.map(({ Key }) => Key)).toEqual([Key, `${prefix}copy`]);
      const folder = { Bucket: bucket, Prefix: `${prefix}a`, Delimiter: '/' };
      expect((await s3.send(new ListObjectsCommand(folder))).Contents).toHaveLength(1);
      await s3.send(new DeleteObjectCommand(where));
      const Delete = { Objects: [{ Key: `${prefix}copy` }] };
      const deleteMany = await outcome(s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete })));
      expect(deleteMany).toBe(expectedInside('deleteMany'));
      expect(await at.listKeys(prefix)).toEqual(deleteMany === 'done' ? [] : [`${prefix}copy`]);
    });

    test('complete, copy into and abort multipart uploads under the prefix', async () => {
      const prefix = newPrefix();
      const s3 = await connectAs(prefix);
      await storage.put(`${prefix}source`, Buffer.alloc(PART_BYTES, 's'));
      const upload = await beginUpload(s3, bucket, `${prefix}large`);
      const Body = Buffer.alloc(PART_BYTES, 'p');
      const first = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body }));
      const second = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: 'end' }));
      const copied = { ...upload, PartNumber: 3, CopySource: `${bucket}/${prefix}source` };
      expect(await outcome(s3.send(new UploadPartCopyCommand(copied)))).toBe(expectedInside('copyPart'));
      const listed = await s3.send(new ListPartsCommand(upload));
      expect(listed.Parts?.slice(0, 2).map(({ Size }) => Size)).toEqual([PART_BYTES, 3]);
      const list = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: upload.Key });
      expect(await outcome(s3.send(list))).toBe('denied');
      const Parts = [
        { PartNumber: 1, ETag: first.ETag },
        { PartNumber: 2, ETag: second.ETag },
      ];
      await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
      expect(await storage.find(`${prefix}large`)).toMatchObject({ sizeBytes: PART_BYTES + 3 });
      const other = await beginUpload(s3, bucket, `${prefix}other`);
      await s3.send(new AbortMultipartUploadCommand(other));
      expect(await storage.find(`${prefix}other`)).toBeUndefined();
    });

    test.runIf(findsUploads)('end the uploads under a prefix when everything there is deleted', async () => {
      const prefix = newPrefix();
      const s3 = await connectAs(prefix);
      const upload = await beginUpload(s3, bucket, `${prefix}in/ü+%2F \u0001 large`);
      const beside = await beginUpload(s3, bucket, `${prefix}beside`);
      await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'part' }));
      expect(await storage.deleteUnder(`${prefix}in/`)).toBe(0);
      expect(['NoSuchUpload', 'NoSuchKey']).toContain(await outcome(s3.send(new ListPartsCommand(upload))));
      expect(await outcome(s3.send(new ListPartsCommand(beside)))).toBe('done');
      await s3.send(new AbortMultipartUploadCommand(beside));
    });

    describe('outside their prefix', () => {
      test.each([
        ['beside it', (prefix: string) => prefix.replace(/\/$/, '0/')],
        ['above it', (prefix: string) => prefix.replace(/[^/]*\/$/, '')],
        ['without its slash', (prefix: string) => prefix.slice(0, -1)],
        ['elsewhere', () => `elsewhere-${newPrefix()}`],
      ])('refuse every operation: %s', async (_where, toOther) => {
        const prefix = newPrefix();
        const key = `${toOther(prefix)}outside.txt`;
        await put(key);
        await put(`${prefix}inside`);
        const s3 = await connectAs(prefix);
        const refused = await tryEverything(s3, { bucket, prefix, key });
        expect(new Set(Object.values(refused))).toEqual(new Set(['denied']));
        expect(await at.listKeys(key)).toEqual([key]);
        expect((await at.read(key)).text).toBe('content');
        await storage.delete([key]);
      });

      test('refuse a list of more than the prefix', async () => {
        const prefix = newPrefix();
        const s3 = await connectAs(prefix);
        const inOther = newPrefix();
        await put(`${inOther}a`);
        for (const Prefix of [undefined, '', prefix.slice(0, -1), prefix.slice(0, 4), inOther, '/']) {
          const where = { Bucket: bucket, Prefix };
          const lists = {
            v2: await outcome(s3.send(new ListObjectsV2Command(where))),
            v1: await outcome(s3.send(new ListObjectsCommand(where))),
            delimiter: await outcome(s3.send(new ListObjectsV2Command({ ...where, Delimiter: '/' }))),
            uploads: await outcome(s3.send(new ListMultipartUploadsCommand(where))),
          };
          expect({ Prefix, ...lists }).toEqual({
            Prefix,
            v2: 'denied',
            v1: 'denied',
            delimiter: 'denied',
            uploads: 'denied',
          });
        }
      });

      test('refuse access to uploads of others', async () => {
        const [prefix, inOther] = [newPrefix(), newPrefix()];
        const other = await connectAs(inOther);
        const upload = await beginUpload(other, bucket, `${inOther}large`);
        const { ETag } = await other.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'part' }));
        const s3 = await connectAs(prefix);
        const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
        expect({
          part: await outcome(s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' }))),
          list: await outcome(s3.send(new ListPartsCommand(upload))),
          complete: await outcome(
            s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload })),
          ),
          abort: await outcome(s3.send(new AbortMultipartUploadCommand(upload))),
        }).toEqual({ part: 'denied', list: 'denied', complete: 'denied', abort: 'denied' });
        await other.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
        expect(await storage.find(`${inOther}large`)).toMatchObject({ sizeBytes: 4 });
      });
    });

    test('can only read when they belong to a reader', async () => {
      const prefix = newPrefix();
      const key = `${prefix}a.txt`;
      await put(key);
      const writer = await connectAs(prefix);
      const upload = await beginUpload(writer, bucket, `${prefix}large`);
      const s3 = await connectAs(prefix, 'read');
      const where = { Bucket: bucket, Key: key };
      expect(await outcome(s3.send(new HeadObjectCommand(where)))).toBe('done');
      const got = await s3.send(new GetObjectCommand(where));
      expect(await got.Body?.transformToString()).toBe('content');
      const listed = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
      expect(listed.Contents).toHaveLength(1);
      const writes = await tryWrites(s3, { bucket, key });
      const part = await outcome(s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'x' })));
      const abort = await outcome(s3.send(new AbortMultipartUploadCommand(upload)));
      expect(new Set(Object.values({ ...writes, part, abort }))).toEqual(new Set(['denied']));
      const CopySource = `${bucket}/${key}`;
      const copy = new CopyObjectCommand({ Bucket: bucket, Key: `${prefix}copy`, CopySource });
      expect(await outcome(s3.send(copy))).toBe('denied');
      expect(await fetchStatus(s3, new PutObjectCommand(where), 'PUT')).toBe(403);
      expect(await fetchStatus(s3, new GetObjectCommand(where), 'GET')).toBe(200);
      await writer.send(new AbortMultipartUploadCommand(upload));
      expect(await at.listKeys(key)).toEqual([key]);
      expect((await at.read(key)).text).toBe('content');
    });

    test('sign links with the same permissions', async () => {
      const [prefix, inOther] = [newPrefix(), newPrefix()];
      await put(`${inOther}a`);
      const s3 = await connectAs(prefix);
      const inside = { Bucket: bucket, Key: `${prefix}a` };
      const outside = { Bucket: bucket, Key: `${inOther}a` };
      expect(await fetchStatus(s3, new PutObjectCommand(inside), 'PUT')).toBe(200);
      expect(await fetchStatus(s3, new GetObjectCommand(inside), 'GET')).toBe(200);
      expect(await fetchStatus(s3, new PutObjectCommand(outside), 'PUT')).toBe(403);
      expect(await fetchStatus(s3, new GetObjectCommand(outside), 'GET')).toBe(403);
      expect((await at.read(`${inOther}a`)).text).toBe('content');
    });

    test('are useless without their own token', async () => {
      const [prefix, inOther] = [newPrefix(), newPrefix()];
      await put(`${prefix}a`);
      await put(`${inOther}a`);
      const [mine, other] = [await issue(prefix), await issue(inOther)];
      const get = (credentials: StorageCredentials, key: string) =>
        outcome(toClient(credentials).send(new GetObjectCommand({ Bucket: bucket, Key: key })));
      expect(await get(mine, `${prefix}a`)).toBe('done');
      const { sessionToken } = other;
      for (const key of [`${prefix}a`, `${inOther}a`]) {
        expect(await get({ ...mine, sessionToken }, key)).not.toBe('done');
        expect(await get({ ...mine, sessionToken: '' }, key)).not.toBe('done');
        const secretAccessKey = changeAt(mine.secretAccessKey, 5);
        expect(await get({ ...mine, secretAccessKey }, key)).not.toBe('done');
      }
    });

    test.runIf(guardsTokens)('gain no permission from a modified token', async () => {
      const [prefix, inOther] = [newPrefix(), newPrefix()];
      await put(`${inOther}a`);
      const { sessionToken, ...rest } = await issue(prefix);
      for (let at = 0; at < sessionToken.length; at += Math.ceil(sessionToken.length / 40)) {
        const s3 = toClient({ ...rest, sessionToken: changeAt(sessionToken, at) });
        const get = new GetObjectCommand({ Bucket: bucket, Key: `${inOther}a` });
        expect([at, await outcome(s3.send(get))]).not.toEqual([at, 'done']);
      }
    });
  });
}

const changeAt = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

function toClient({ accessKeyId, secretAccessKey, sessionToken, region, endpoint }: StorageCredentials) {
  const s3 = new S3Client({
    region,
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  onTestFinished(() => s3.destroy());
  return s3;
}

async function beginUpload(s3: S3Client, Bucket: string, Key: string) {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  return { Bucket, Key, UploadId };
}

/** `done`, `denied`, or another code of the store. */
async function outcome(sending: Promise<unknown>): Promise<string> {
  try {
    const response = (await sending) as { readonly Errors?: readonly { readonly Code?: string }[] };
    const [error] = response.Errors ?? [];
    if (!error) return 'done';
    return error.Code === 'AccessDenied' ? 'denied' : String(error.Code);
  } catch (error) {
    const { name, $metadata } = error as Error & {
      readonly $metadata?: { readonly httpStatusCode?: number };
    };
    // A response to HEAD has no body that could name the code.
    const isDenied =
      name === 'AccessDenied' || (name !== 'SignatureDoesNotMatch' && $metadata?.httpStatusCode === 403);
    return isDenied ? 'denied' : name;
  }
}

interface Target {
  readonly bucket: string;
  readonly key: string;
}

async function tryEverything(s3: S3Client, { bucket, prefix, key }: Target & { readonly prefix: string }) {
  const where = { Bucket: bucket, Key: key };
  const inside = { Bucket: bucket, Key: `${prefix}inside` };
  const ofOutside = `${bucket}/${key}`;
  const upload = await beginUpload(s3, bucket, `${prefix}upload`);
  const copyPart = new UploadPartCopyCommand({ ...upload, PartNumber: 1, CopySource: ofOutside });
  const results = {
    get: await outcome(s3.send(new GetObjectCommand(where))),
    head: await outcome(s3.send(new HeadObjectCommand(where))),
    ...(await tryWrites(s3, { bucket, key })),
    copyFrom: await outcome(s3.send(new CopyObjectCommand({ ...inside, CopySource: ofOutside }))),
    copyTo: await outcome(
      s3.send(new CopyObjectCommand({ ...where, CopySource: `${bucket}/${inside.Key}` })),
    ),
    copyPart: await outcome(s3.send(copyPart)),
  };
  await s3.send(new AbortMultipartUploadCommand(upload));
  return results;
}

async function tryWrites(s3: S3Client, { bucket, key }: Target) {
  const where = { Bucket: bucket, Key: key };
  const Delete = { Objects: [{ Key: key }] };
  return {
    put: await outcome(s3.send(new PutObjectCommand({ ...where, Body: 'changed' }))),
    delete: await outcome(s3.send(new DeleteObjectCommand(where))),
    deleteMany: await outcome(s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))),
    create: await outcome(s3.send(new CreateMultipartUploadCommand(where))),
  };
}

async function fetchStatus(
  s3: S3Client,
  command: GetObjectCommand | PutObjectCommand,
  method: 'GET' | 'PUT',
): Promise<number> {
  const url = await getSignedUrl(s3, command, { expiresIn: 60 });
  const response = await fetch(url, { method, ...(method === 'PUT' && { body: 'by a link' }) });
  await response.text();
  return response.status;
}
