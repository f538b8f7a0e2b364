/** @aws-sdk/client-s3, with lib-storage for large files and its presigner. */
import { createReadStream, createWriteStream, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { openS3, type S3Access } from '../workspace-storage.ts';
import type { Facts, S3ClientKind, S3TestClient } from './s3-test-client.ts';

/** The maximum number of keys in one DeleteObjects. */
const DELETE_AT_ONCE = 1_000;

export const awsSdk: S3ClientKind = {
  title: '@aws-sdk/client-s3',
  program: null,
  limits: {},
  open: (access) => new AwsSdk(access),
};

class AwsSdk implements S3TestClient {
  private readonly s3: S3Client;
  private readonly bucket: string;

  constructor(access: S3Access) {
    this.s3 = openS3(access);
    this.bucket = access.bucket;
  }

  private at(key: string) {
    return { Bucket: this.bucket, Key: key };
  }

  /** Uses one PutObject for a file smaller than a part, and a multipart upload otherwise. */
  async put(file: string, key: string, facts?: Facts) {
    const about = facts && { ContentType: facts.contentType, Metadata: facts.metadata };
    const params = { ...this.at(key), Body: createReadStream(file), ...about };
    await new Upload({ client: this.s3, params, partSize: 8 * 1024 ** 2 }).done();
  }

  async get(key: string, file: string) {
    const { Body } = await this.s3.send(new GetObjectCommand(this.at(key)));
    await pipeline(Body as Readable, createWriteStream(file));
  }

  async putFolder(folder: string, prefix: string) {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) =>
      item.isFile(),
    );
    await Promise.all(
      files.map(({ parentPath, name }) => {
        const file = join(parentPath, name);
        return this.put(file, prefix + relative(folder, file));
      }),
    );
  }

  async getFolder(prefix: string, folder: string) {
    const keys = await this.listAll(prefix);
    await Promise.all(
      keys.map((key) => {
        const file = join(folder, key.slice(prefix.length));
        mkdirSync(dirname(file), { recursive: true });
        return this.get(key, file);
      }),
    );
  }

  async stat(key: string) {
    const found = await this.s3.send(new HeadObjectCommand(this.at(key)));
    return {
      sizeBytes: found.ContentLength ?? Number.NaN,
      contentType: found.ContentType ?? '',
      metadata: found.Metadata ?? {},
    };
  }

  async list(prefix: string) {
    const [keys, folders]: [string[], string[]] = [[], []];
    const query = { Bucket: this.bucket, Prefix: prefix, Delimiter: '/' };
    for await (const page of paginateListObjectsV2({ client: this.s3 }, query)) {
      for (const { Key } of page.Contents ?? []) keys.push(Key ?? '');
      for (const { Prefix } of page.CommonPrefixes ?? []) folders.push(Prefix ?? '');
    }
    return { keys, folders };
  }

  async listAll(prefix: string) {
    const keys: string[] = [];
    for await (const page of paginateListObjectsV2(
      { client: this.s3 },
      { Bucket: this.bucket, Prefix: prefix },
    )) {
      for (const { Key } of page.Contents ?? []) keys.push(Key ?? '');
    }
    return keys;
  }

  async copy(from: string, to: string) {
    const CopySource = `${this.bucket}/${from.split('/').map(encodeURIComponent).join('/')}`;
    await this.s3.send(new CopyObjectCommand({ ...this.at(to), CopySource }));
  }

  async delete(key: string) {
    await this.s3.send(new DeleteObjectCommand(this.at(key)));
  }

  async deleteKeys(keys: readonly string[]) {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const { Errors } = await this.s3.send(new DeleteObjectsCommand({ Bucket: this.bucket, Delete }));
    if (Errors?.[0]) throw new Error(`${Errors[0].Code}: ${Errors[0].Message}`);
  }

  async deleteUnder(prefix: string) {
    const keys = await this.listAll(prefix);
    while (keys.length > 0) await this.deleteKeys(keys.splice(0, DELETE_AT_ONCE));
  }

  presignGet(key: string, seconds: number) {
    return getSignedUrl(this.s3, new GetObjectCommand(this.at(key)), { expiresIn: seconds });
  }
}
