/** Multipart uploads. */
import { randomBytes } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { BUCKET, failure, startTestGateway } from '../../../../test/gateways.ts';
import { codeOf } from '../../../../test/raw-http.ts';

const gateway = await startTestGateway();
const { ask } = gateway;
// Disables automatic checksums: each test sets its own.
const s3 = gateway.client(gateway.root, {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
});
const at = (Key: string) => ({ Bucket: BUCKET, Key });
const LARGE = randomBytes(5 * 1024 * 1024);
const SMALL = Buffer.from('the rest');

async function create(Key: string, more = {}): Promise<string> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...at(Key), ...more }));
  return UploadId ?? '';
}

async function putPart(Key: string, UploadId: string, PartNumber: number, Body: Buffer, more = {}) {
  const { $metadata: _, ...response } = await s3.send(
    new UploadPartCommand({ ...at(Key), UploadId, PartNumber, Body, ...more }),
  );
  return { ...response, PartNumber } as CompletedPart;
}

const complete = (Key: string, UploadId: string, Parts: CompletedPart[], more = {}) =>
  s3.send(new CompleteMultipartUploadCommand({ ...at(Key), UploadId, MultipartUpload: { Parts }, ...more }));

async function read(Key: string, more = {}): Promise<Buffer> {
  const { Body } = await s3.send(new GetObjectCommand({ ...at(Key), ...more }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

describe('multipart uploads', () => {
  test('completing an upload makes one object of its parts, with the metadata of the upload', async () => {
    const key = 'parts/ü & co';
    const id = await create(key, { ContentType: 'text/x', Metadata: { a: 'b' } });
    await putPart(key, id, 3, Buffer.from('dropped'));
    await putPart(key, id, 2, Buffer.from('replaced'));
    const parts = [await putPart(key, id, 1, LARGE), await putPart(key, id, 2, SMALL)];
    expect(await failure(read(key))).toBe('NoSuchKey');
    const { ETag, Location, Key } = await complete(key, id, parts);
    expect(ETag).toMatch(/^"[0-9a-f]{32}-2"$/);
    expect([Key, Location]).toEqual([key, '/drydock/parts/%C3%BC%20%26%20co']);
    expect(Buffer.compare(await read(key), Buffer.concat([LARGE, SMALL]))).toBe(0);
    const head = await s3.send(new HeadObjectCommand(at(key)));
    expect(head).toMatchObject({ ContentType: 'text/x', Metadata: { a: 'b' }, ETag });
    // A client that missed the response repeats the request and gets it.
    expect(await complete(key, id, parts)).toMatchObject({ ETag, Key });
    expect(await failure(complete(key, id, parts.slice(0, 1)))).toBe('NoSuchUpload');
    await s3.send(new PutObjectCommand({ ...at(key), Body: 'another by now' }));
    expect(await failure(complete(key, id, parts))).toBe('NoSuchUpload');
    expect(await gateway.listUnowned()).toEqual([]);
  });

  test('a multipart object can be read part by part', async () => {
    const id = await create('parted');
    await complete('parted', id, [
      await putPart('parted', id, 1, LARGE),
      await putPart('parted', id, 2, SMALL),
    ]);
    const second = await s3.send(new GetObjectCommand({ ...at('parted'), PartNumber: 2 }));
    expect(second).toMatchObject({
      PartsCount: 2,
      ContentLength: SMALL.length,
      ContentRange: `bytes ${LARGE.length}-${LARGE.length + SMALL.length - 1}/${LARGE.length + SMALL.length}`,
    });
    expect(await second.Body?.transformToString()).toBe(SMALL.toString());
    const head = await s3.send(new HeadObjectCommand({ ...at('parted'), PartNumber: 1 }));
    expect(head).toMatchObject({ PartsCount: 2, ContentLength: LARGE.length });
    const absent = await ask({ path: '/drydock/parted', query: 'partNumber=3' });
    expect([absent.status, codeOf(absent)]).toEqual([416, 'InvalidPartNumber']);
    const both = await ask({
      path: '/drydock/parted',
      query: 'partNumber=1',
      headers: { range: 'bytes=0-1' },
    });
    expect(codeOf(both)).toBe('InvalidRequest');
    expect(codeOf(await ask({ path: '/drydock/parted', query: 'partNumber=0' }))).toBe('InvalidArgument');
    const across = await read('parted', { Range: `bytes=${LARGE.length - 2}-${LARGE.length + 1}` });
    expect(across).toEqual(Buffer.concat([LARGE.subarray(-2), SMALL.subarray(0, 2)]));
  });

  test('a multipart object may end with an empty part', async () => {
    const id = await create('ends');
    const parts = [await putPart('ends', id, 1, LARGE), await putPart('ends', id, 2, Buffer.alloc(0))];
    await complete('ends', id, parts);
    for (const method of ['GET', 'HEAD']) {
      const empty = await ask({ method, path: '/drydock/ends', query: 'partNumber=2' });
      expect([empty.status, empty.body]).toEqual([200, '']);
      expect(empty.headers).toMatchObject({ 'content-length': '0', 'x-amz-mp-parts-count': '2' });
      expect(empty.headers['content-range']).toBeUndefined();
    }
    const first = await s3.send(new HeadObjectCommand({ ...at('ends'), PartNumber: 1 }));
    expect(first).toMatchObject({ PartsCount: 2, ContentLength: LARGE.length });
    expect(codeOf(await ask({ path: '/drydock/ends', query: 'partNumber=3' }))).toBe('InvalidPartNumber');
  });

  test('a request for any part names the number of parts', async () => {
    const response = await ask({ method: 'PUT', path: '/drydock/x', query: 'partNumber=1', body: 'x' });
    expect([response.status, codeOf(response)]).toEqual([400, 'InvalidArgument']);
    expect(await gateway.store.index.find('x')).toBeUndefined();
  });

  test('an object that was uploaded at once has one part', async () => {
    await s3.send(new PutObjectCommand({ ...at('whole'), Body: 'content' }));
    const part = await s3.send(new GetObjectCommand({ ...at('whole'), PartNumber: 1 }));
    expect(part).toMatchObject({ ContentLength: 7, ContentRange: 'bytes 0-6/7' });
    expect(part.PartsCount).toBeUndefined();
    expect(codeOf(await ask({ path: '/drydock/whole', query: 'partNumber=2' }))).toBe('InvalidPartNumber');
  });

  test('aborting an upload ends it without an object', async () => {
    const id = await create('aborted');
    await putPart('aborted', id, 1, SMALL);
    await s3.send(new AbortMultipartUploadCommand({ ...at('aborted'), UploadId: id }));
    expect(await failure(putPart('aborted', id, 2, SMALL))).toBe('NoSuchUpload');
    const again = new AbortMultipartUploadCommand({ ...at('aborted'), UploadId: id });
    expect(await failure(s3.send(again))).toBe('NoSuchUpload');
    expect(await gateway.listUnowned()).toEqual([]);
  });

  test('an upload is only found with its key', async () => {
    const id = await create('mine');
    const part = await putPart('mine', id, 1, SMALL);
    const outcomes = [
      putPart('other', id, 1, SMALL),
      complete('other', id, [part]),
      s3.send(new ListPartsCommand({ ...at('other'), UploadId: id })),
      s3.send(new AbortMultipartUploadCommand({ ...at('other'), UploadId: id })),
      putPart('mine', 'nonsense', 1, SMALL),
      complete('mine', '00000000-0000-7000-8000-000000000000', [part]),
    ];
    expect(await Promise.all(outcomes.map(failure))).toEqual(outcomes.map(() => 'NoSuchUpload'));
    await complete('mine', id, [part]);
  });
});

describe('completing a multipart upload', () => {
  test('completing refuses parts that were not uploaded', async () => {
    const id = await create('refused');
    const first = await putPart('refused', id, 1, SMALL);
    const second = await putPart('refused', id, 2, SMALL);
    expect(await failure(complete('refused', id, [first, second]))).toBe('EntityTooSmall');
    expect(await failure(complete('refused', id, [second, first]))).toBe('InvalidPartOrder');
    expect(await failure(complete('refused', id, [{ ...first, ETag: '"x"' }]))).toBe('InvalidPart');
    expect(await failure(complete('refused', id, [{ ...first, PartNumber: 9 }]))).toBe('InvalidPart');
    expect(await failure(complete('refused', id, [first], { MpuObjectSize: 9 }))).toBe('InvalidRequest');
    expect(await failure(complete('refused', id, []))).toBe('MalformedXML');
    await complete('refused', id, [second], { MpuObjectSize: SMALL.length });
    expect(await read('refused')).toEqual(SMALL);
  });

  test('completing observes conditions', async () => {
    await s3.send(new PutObjectCommand({ ...at('taken'), Body: 'x' }));
    const id = await create('taken');
    const part = await putPart('taken', id, 1, SMALL);
    expect(await failure(complete('taken', id, [part], { IfNoneMatch: '*' }))).toBe('PreconditionFailed');
    expect(await failure(complete('taken', id, [part], { IfMatch: '"x"' }))).toBe('PreconditionFailed');
    await complete('taken', id, [part], { IfMatch: '"9dd4e461268c8034f5c8564e155c67a6"' });
  });

  test('completing with an empty part makes an empty object', async () => {
    const id = await create('nothing');
    const part = await putPart('nothing', id, 1, Buffer.alloc(0));
    await complete('nothing', id, [part]);
    expect(await read('nothing')).toEqual(Buffer.alloc(0));
  });
});

describe('checksums of multipart objects', () => {
  test.each([
    ['CRC32', 'COMPOSITE'],
    ['CRC32', 'FULL_OBJECT'],
    ['CRC32C', 'COMPOSITE'],
    ['CRC32C', 'FULL_OBJECT'],
    ['CRC64NVME', 'FULL_OBJECT'],
    ['SHA1', 'COMPOSITE'],
    ['SHA256', 'COMPOSITE'],
  ] as const)('the checksum %s is %s', async (ChecksumAlgorithm, ChecksumType) => {
    const name = `Checksum${ChecksumAlgorithm}` as const;
    const id = await create('summed', { ChecksumAlgorithm, ChecksumType });
    const first = await putPart('summed', id, 1, LARGE, { ChecksumAlgorithm });
    // The second part has no checksum, so the server computes it.
    const second = await putPart('summed', id, 2, SMALL);
    expect(second[name]).toMatch(/=$/);
    const { Parts, ...listed } = await s3.send(new ListPartsCommand({ ...at('summed'), UploadId: id }));
    expect(listed).toMatchObject({ ChecksumAlgorithm, ChecksumType });
    expect(Parts?.map((part) => part[name])).toEqual([first[name], second[name]]);
    expect(await failure(complete('summed', id, [{ ...first, [name]: second[name] }, second]))).toBe(
      'InvalidPart',
    );
    const wrong = { [name]: ChecksumType === 'COMPOSITE' ? `${first[name]}-2` : first[name] };
    expect(await failure(complete('summed', id, [first, second], wrong))).toBe('BadDigest');
    const done = await complete('summed', id, [first, second], { ChecksumType });
    expect(done.ChecksumType).toBe(ChecksumType);
    const head = await s3.send(new HeadObjectCommand({ ...at('summed'), ChecksumMode: 'ENABLED' }));
    expect([head[name], head.ChecksumType]).toEqual([done[name], ChecksumType]);
    if (ChecksumType === 'FULL_OBJECT') {
      const Body = Buffer.concat([LARGE, SMALL]);
      const whole = await s3.send(new PutObjectCommand({ ...at('same'), Body, ChecksumAlgorithm }));
      expect(done[name]).toBe(whole[name]);
    } else expect(done[name]).toMatch(/=-2$/);
  });

  test('checksums of different algorithms are refused', async () => {
    const id = await create('one', { ChecksumAlgorithm: 'SHA1' });
    expect(await failure(putPart('one', id, 1, SMALL, { ChecksumAlgorithm: 'SHA256' }))).toBe(
      'InvalidRequest',
    );
    expect(await failure(create('x', { ChecksumAlgorithm: 'SHA1', ChecksumType: 'FULL_OBJECT' }))).toBe(
      'InvalidRequest',
    );
    expect(await failure(create('x', { ChecksumAlgorithm: 'CRC64NVME', ChecksumType: 'COMPOSITE' }))).toBe(
      'InvalidRequest',
    );
    expect(await failure(create('x', { ChecksumType: 'COMPOSITE' }))).toBe('InvalidRequest');
    const part = await putPart('one', id, 1, SMALL);
    expect(await failure(complete('one', id, [part], { ChecksumSHA256: 'x' }))).toBe('InvalidRequest');
    expect(await failure(complete('one', id, [part], { ChecksumType: 'FULL_OBJECT' }))).toBe(
      'InvalidRequest',
    );
  });
});

describe('copies as parts', () => {
  test('UploadPartCopy copies an object or a range of it', async () => {
    await s3.send(new PutObjectCommand({ ...at('source'), Body: LARGE, ChecksumAlgorithm: 'CRC32' }));
    const id = await create('copied', { ChecksumAlgorithm: 'SHA1' });
    const copy = async (PartNumber: number, CopySourceRange?: string, more = {}) => {
      const command = {
        ...at('copied'),
        UploadId: id,
        PartNumber,
        CopySource: 'drydock/source',
        CopySourceRange,
      };
      const { CopyPartResult } = await s3.send(new UploadPartCopyCommand({ ...command, ...more }));
      return { PartNumber, ETag: CopyPartResult?.ETag, ChecksumSHA1: CopyPartResult?.ChecksumSHA1 };
    };
    const parts = [await copy(1), await copy(2, 'bytes=10-19')];
    const outcomes = [
      [() => copy(3, 'bytes=10-'), 'InvalidArgument'],
      [() => copy(3, `bytes=0-${LARGE.length}`), 'InvalidArgument'],
      [() => copy(3, undefined, { CopySource: 'drydock/absent' }), 'NoSuchKey'],
      [() => copy(3, undefined, { CopySourceIfMatch: '"x"' }), 'PreconditionFailed'],
      [() => copy(3, undefined, { UploadId: 'x' }), 'NoSuchUpload'],
    ] as const;
    for (const [send, code] of outcomes) expect(await failure(send())).toBe(code);
    await complete('copied', id, parts);
    expect(Buffer.compare(await read('copied'), Buffer.concat([LARGE, LARGE.subarray(10, 20)]))).toBe(0);
    expect(await gateway.listUnowned()).toEqual([]);
  });
});

describe('lists of parts and uploads', () => {
  test('ListParts returns pages', async () => {
    const id = await create('listed');
    for (const number of [1, 2, 5, 10_000]) await putPart('listed', id, number, SMALL);
    const list = (more: object) => s3.send(new ListPartsCommand({ ...at('listed'), UploadId: id, ...more }));
    const first = await list({ MaxParts: 2 });
    expect(first).toMatchObject({
      IsTruncated: true,
      NextPartNumberMarker: '2',
      MaxParts: 2,
      PartNumberMarker: '0',
    });
    expect(first.Parts).toMatchObject([
      { PartNumber: 1, Size: SMALL.length },
      { PartNumber: 2, Size: SMALL.length },
    ]);
    const rest = await list({ PartNumberMarker: first.NextPartNumberMarker });
    expect(rest.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([5, 10_000]);
    expect(rest.IsTruncated).toBe(false);
    expect(await failure(putPart('listed', id, 10_001, SMALL))).toBe('InvalidArgument');
  });

  test('ListMultipartUploads returns pages', async () => {
    const keys = ['up/a', 'up/a', 'up/b c/1', 'up/b c/2', 'up/d'];
    const ids = [];
    for (const key of keys) ids.push(await create(key));
    const list = (more: object) =>
      s3.send(new ListMultipartUploadsCommand({ Bucket: BUCKET, Prefix: 'up/', ...more }));
    const all = await list({ EncodingType: 'url' });
    expect(all.Uploads?.map(({ Key }) => Key)).toEqual(keys.map((key) => key.replace(' ', '%20')));
    expect(all.Uploads?.map(({ UploadId }) => UploadId)).toEqual(ids);
    const cut = await list({ Delimiter: '/', MaxUploads: 2 });
    expect(cut).toMatchObject({ IsTruncated: true, NextKeyMarker: 'up/a', NextUploadIdMarker: ids[1] });
    const rest = await list({ Delimiter: '/', KeyMarker: 'up/a', UploadIdMarker: ids[0] });
    expect(rest.Uploads?.map(({ UploadId }) => UploadId)).toEqual([ids[1], ids[4]]);
    expect(rest.CommonPrefixes).toEqual([{ Prefix: 'up/b c/' }]);
  });
});
