/** Requirements of the generic S3 driver beyond the port. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OutsideOptions } from '../src/platform/object-storage/outside/outside-options.ts';
import { OutsideStorage, type Tuning } from '../src/platform/object-storage/outside/outside-storage.ts';
import { deleteKeys } from '../src/platform/object-storage/outside/writing/deletion.ts';
import { makeContent } from './object-storage-suite/large-content.ts';
import type { SuiteOptions } from './object-storage-suite/workbench.ts';

const MIB = 2 ** 20;

/** @param getOptions called when the S3 is running */
export function describeOutsideStorage(
  getOptions: () => OutsideOptions,
  { findsUploads = true }: Pick<SuiteOptions, 'findsUploads'> = {},
): void {
  const root = `outside-${randomBytes(6).toString('hex')}/`;
  const open = (changes: Partial<OutsideOptions> = {}, tuning?: Tuning) => {
    const storage = new OutsideStorage({ ...getOptions(), ...changes }, tuning);
    onTestFinished(() => storage.close());
    return storage;
  };
  const listUploads = async (key: string) => {
    const { Uploads = [] } = await open().s3.send(
      new ListMultipartUploadsCommand({ Bucket: getOptions().bucket, Prefix: key }),
    );
    return Uploads.map(({ Key }) => Key);
  };

  afterAll(async () => {
    const storage = new OutsideStorage(getOptions());
    await storage.deleteUnder(root);
    await storage.close();
  });

  describe('copy in parts', () => {
    test('keeps content and attributes, with a last part of one byte', async () => {
      const storage = open({}, { copySizes: { wholeBytes: 6 * MIB, partBytes: 5 * MIB } });
      const content = makeContent(10 * MIB + 1);
      const [from, to] = [`${root}a+ü b`, `${root}copy of a+ü b`];
      const expires = 'Wed, 21 Oct 2015 07:28:00 GMT';
      const headers = { expires, 'cache-control': 'no-cache' };
      await storage.put(from, content.stream, { contentType: 'text/x-odd', headers, metadata: { a: 'b' } });
      const copied = await storage.copy(from, to);
      expect(copied).toMatchObject({
        key: to,
        sizeBytes: 10 * MIB + 1,
        contentType: 'text/x-odd',
        metadata: { a: 'b' },
      });
      expect(await storage.heads.find(to)).toMatchObject({
        ExpiresString: expires,
        CacheControl: 'no-cache',
      });
      // The ETag shows that the object has three parts.
      expect(copied.etag).toMatch(/-3$/);
      const opened = await storage.open(to);
      const hash = createHash('sha256').update(await buffer(opened?.body ?? Readable.from([])));
      expect(hash.digest('hex')).toBe(content.sha256());
    });

    test('leaves no upload behind when it fails', async () => {
      const storage = open({}, { copySizes: { wholeBytes: MIB, partBytes: MIB } });
      await storage.put(`${root}small-parts`, makeContent(3 * MIB).stream);
      // Parts of less than 5 MB are refused when the upload is completed.
      await expect(storage.copy(`${root}small-parts`, `${root}copy`)).rejects.toMatchObject({
        type: 'object_storage_error',
        message: 'The object storage answered EntityTooSmall (400).',
      });
      expect(await listUploads(`${root}copy`)).toEqual([]);
      expect(await storage.find(`${root}copy`)).toBeUndefined();
    });
  });

  test('a failing put leaves no upload behind', async () => {
    async function* failing() {
      yield* makeContent(20 * MIB).stream;
      throw new Error('the source is gone');
    }
    const key = `${root}failed`;
    await expect(open().put(key, Readable.from(failing()))).rejects.toThrow('the source is gone');
    expect(await listUploads(key)).toEqual([]);
    // Shows that the list would contain an upload.
    await open().s3.send(new CreateMultipartUploadCommand({ Bucket: getOptions().bucket, Key: key }));
    expect(await listUploads(key)).toEqual([key]);
    await open().deleteUnder(key);
  });

  test.runIf(findsUploads)('old uploads are aborted, regardless of which process began them', async () => {
    const key = `${root}left ü+`;
    await open().s3.send(new CreateMultipartUploadCommand({ Bucket: getOptions().bucket, Key: key }));
    expect(await open().abortUploadsBefore([root], new Date(Date.now() - 60_000))).toBe(0);
    expect(await listUploads(key)).toEqual([key]);
    await open().abortUploadsBefore([root], new Date(Date.now() + 60_000));
    expect(await listUploads(key)).toEqual([]);
  });

  describe('errors of the generic driver', () => {
    const SECRET = 'a-secret-that-must-not-be-told';

    test.each([
      ['a wrong secret', { secretAccessKey: SECRET }, /(SignatureDoesNotMatch|AccessDenied) \(403\)/],
      [
        'an unknown key',
        { accessKeyId: 'AKIAUNKNOWNUNKNOWN00', secretAccessKey: SECRET },
        /(InvalidAccessKeyId|AccessDenied) \(403\)/,
      ],
      ['no such bucket', { bucket: 'no-such-bucket-there' }, /NoSuchBucket \(404\)/],
      ['nobody there', { endpoint: 'http://127.0.0.1:1' }, /cannot be reached \(ECONNREFUSED\)/],
    ])('%s is reported by its code, without any secret', async (_what, changes, expected) => {
      const storage = open(changes);
      const failures = await Promise.all(
        [
          storage.put('a', Buffer.from('content')),
          storage.open('a'),
          storage.list('a')[Symbol.asyncIterator]().next(),
          storage.delete(['a']),
        ].map((work) =>
          work.then(
            () => undefined,
            (error: Error) => error,
          ),
        ),
      );
      for (const failure of failures) {
        expect(failure).toMatchObject({ type: 'object_storage_error', status: 502 });
        expect(failure?.message).toMatch(expected);
        expect(JSON.stringify([failure?.message, failure?.stack])).not.toContain(SECRET);
      }
      await expect(storage.check()).rejects.toMatchObject({ type: 'object_storage_error' });
    });

    test('a separate token service receives the token requests', async () => {
      const { endpoint } = getOptions();
      const storage = open({ endpoint: 'http://127.0.0.1:1', stsEndpoint: endpoint });
      const issued = await storage.issueCredentials({ prefix: root, access: 'read' }, 3_600);
      expect(issued).toMatchObject({ endpoint: 'http://127.0.0.1:1', region: getOptions().region });
    });

    test("the machine's own credentials are used if no keys are configured, and missing ones are a configuration error", async () => {
      const { accessKeyId = '', secretAccessKey = '' } = getOptions();
      const keyless = { accessKeyId: undefined, secretAccessKey: undefined };
      const surroundings = {
        AWS_EC2_METADATA_DISABLED: 'true',
        HOME: '/nonexistent',
        AWS_PROFILE: undefined,
      };
      for (const [name, value] of Object.entries(surroundings)) vi.stubEnv(name, value);
      onTestFinished(() => void vi.unstubAllEnvs());
      await expect(open(keyless).check()).rejects.toMatchObject({ type: 'configuration_error' });
      vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
      await expect(open(keyless).check()).resolves.toBeUndefined();
    });

    test('credentials without a role are a configuration error', async () => {
      const storage = open({ stsRoleArn: undefined });
      await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 3_600)).rejects.toMatchObject({
        type: 'configuration_error',
        message: expect.stringContaining('S3_STS_ROLE_ARN'),
      });
    });

    test('credentials that the token service refuses are a configuration error', async () => {
      const storage = open({ secretAccessKey: SECRET });
      await expect(storage.issueCredentials({ prefix: 'a/', access: 'read' }, 3_600)).rejects.toMatchObject({
        type: 'object_storage_error',
        message: expect.not.stringContaining(SECRET),
      });
    });

    test('an object that could not be deleted is reported', async () => {
      const storage = open();
      await storage.put(`${root}kept`, Buffer.from('content'));
      const session = await storage.issueCredentials({ prefix: 'elsewhere/', access: 'write' }, 3_600);
      const s3 = new S3Client({ ...toClientSettings(getOptions()), credentials: session });
      onTestFinished(() => s3.destroy());
      await expect(
        deleteKeys({ s3, bucket: storage.bucket }, ['elsewhere/none', `${root}kept`]),
      ).rejects.toMatchObject({
        type: 'object_storage_error',
        message: expect.stringContaining('AccessDenied'),
      });
      expect(await storage.find(`${root}kept`)).toBeDefined();
    });
  });
}

function toClientSettings({ region, endpoint }: OutsideOptions) {
  return { region, ...(endpoint !== undefined && { endpoint, forcePathStyle: true }) };
}
