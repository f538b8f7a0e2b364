/** The AWS CLI: its high-level commands and, where those report too little, its low-level ones. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../../scripts/system-packages.ts';
import type { S3Access } from '../workspace-storage.ts';
import { clientProgram, linesOf, type RunProgram } from './client-program.ts';
import { below, type Facts, type S3ClientKind, type S3TestClient } from './s3-test-client.ts';

/** The maximum number of keys that one request deletes. */
const DELETE_AT_ONCE = 1_000;

export const awscli: S3ClientKind = {
  title: 'awscli',
  program: findProgram('aws'),
  limits: {},
  open: (access, home) => new AwsCli(access, home),
};

/** `s3 cp` treats such a key as a folder, into which it would put the file under its name. */
const isFolder = (key: string) => key.endsWith('/');

class AwsCli implements S3TestClient {
  private readonly aws: RunProgram;
  private readonly bucket: string;
  private readonly batchFile: string;

  constructor(access: S3Access, home: string) {
    const run = clientProgram(awscli.program, home, {
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
      AWS_SESSION_TOKEN: access.sessionToken,
      AWS_DEFAULT_REGION: access.region,
      AWS_PAGER: '',
    });
    this.aws = (...args) => run('--endpoint-url', access.endpoint, ...args);
    this.bucket = access.bucket;
    this.batchFile = join(home, 'batch.json');
  }

  private at(key: string) {
    return `s3://${this.bucket}/${key}`;
  }

  private named(key: string) {
    return ['--bucket', this.bucket, '--key', key];
  }

  private async copyFiles(...args: string[]) {
    await this.aws('s3', 'cp', '--only-show-errors', ...args);
  }

  async put(file: string, key: string, facts?: Facts) {
    const about = facts
      ? ['--content-type', facts.contentType, '--metadata', JSON.stringify(facts.metadata)]
      : [];
    if (isFolder(key)) await this.aws('s3api', 'put-object', ...this.named(key), '--body', file, ...about);
    else await this.copyFiles(file, this.at(key), ...about);
  }

  async get(key: string, file: string) {
    if (isFolder(key)) await this.aws('s3api', 'get-object', ...this.named(key), file);
    else await this.copyFiles(this.at(key), file);
  }

  async putFolder(folder: string, prefix: string) {
    await this.copyFiles('--recursive', folder, this.at(prefix));
  }

  async getFolder(prefix: string, folder: string) {
    await this.copyFiles('--recursive', this.at(prefix), folder);
  }

  async stat(key: string) {
    const head = await this.aws('s3api', 'head-object', ...this.named(key));
    const { ContentLength, ContentType, Metadata } = JSON.parse(head);
    return { sizeBytes: ContentLength, contentType: ContentType, metadata: Metadata };
  }

  async list(prefix: string) {
    const lines = linesOf(await this.aws('s3', 'ls', this.at(prefix)));
    const folders = lines.flatMap((line) => /^ +PRE (.*)$/.exec(line)?.[1] ?? []);
    const keys = lines.flatMap((line) => /^[\d-]+ [\d:]+ +\d+ (.*)$/.exec(line)?.[1] ?? []);
    return { keys: below(prefix, keys), folders: below(prefix, folders) };
  }

  async listAll(prefix: string): Promise<string[]> {
    const query = ['--bucket', this.bucket, '--prefix', prefix, '--query', 'Contents[].Key'];
    return JSON.parse(await this.aws('s3api', 'list-objects-v2', '--output', 'json', ...query)) ?? [];
  }

  async copy(from: string, to: string) {
    await this.copyFiles(this.at(from), this.at(to));
  }

  async delete(key: string) {
    await this.aws('s3', 'rm', '--only-show-errors', this.at(key));
  }

  async deleteKeys(keys: readonly string[]) {
    writeFileSync(this.batchFile, JSON.stringify({ Objects: keys.map((Key) => ({ Key })) }));
    const batch = ['--bucket', this.bucket, '--delete', `file://${this.batchFile}`];
    const { Errors = [] } = JSON.parse(await this.aws('s3api', 'delete-objects', ...batch));
    if (Errors.length > 0) throw new Error(`${Errors[0].Code}: ${Errors[0].Message}`);
  }

  /** `s3 rm --recursive` would delete one by one, as above. */
  async deleteUnder(prefix: string) {
    const keys = await this.listAll(prefix);
    while (keys.length > 0) await this.deleteKeys(keys.splice(0, DELETE_AT_ONCE));
  }

  async presignGet(key: string, seconds: number) {
    return (await this.aws('s3', 'presign', '--expires-in', String(seconds), this.at(key))).trim();
  }
}
