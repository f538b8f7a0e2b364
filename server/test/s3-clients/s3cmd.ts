/** s3cmd, configured only by its options. */
import { findProgram } from '../../../scripts/system-packages.ts';
import type { S3Access } from '../workspace-storage.ts';
import { clientProgram, linesOf, type RunProgram } from './client-program.ts';
import type { Facts, S3ClientKind, S3TestClient } from './s3-test-client.ts';

export const s3cmd: S3ClientKind = {
  title: 's3cmd',
  program: findProgram('s3cmd'),
  limits: {
    keys: [{ like: /\/$/, reason: 'to it that is a folder, for which it wants --recursive' }],
    presignGet: 'it signs links with version 2 of the signature only, which knows no session token',
  },
  open: (access, home) => new S3Cmd(access, home),
};

/** Date, time, size and the object's address. */
const OBJECT_LINE = /^[\d-]+ [\d:]+ +\d+ {2}(.*)$/;

class S3Cmd implements S3TestClient {
  private readonly s3cmd: RunProgram;
  private readonly bucket: string;

  constructor(access: S3Access, home: string) {
    const { protocol, host } = new URL(access.endpoint);
    const run = clientProgram(s3cmd.program, home);
    this.s3cmd = (...args) =>
      run(
        '--config=/dev/null',
        `--host=${host}`,
        // If `%(bucket)s` is missing, the bucket is part of the path.
        `--host-bucket=${host}`,
        ...(protocol === 'http:' ? ['--no-ssl'] : []),
        `--region=${access.region}`,
        `--access_key=${access.accessKeyId}`,
        `--secret_key=${access.secretAccessKey}`,
        `--access_token=${access.sessionToken}`,
        '--no-progress',
        ...args,
      );
    this.bucket = access.bucket;
  }

  private at(key: string) {
    return `s3://${this.bucket}/${key}`;
  }

  async put(file: string, key: string, facts?: Facts) {
    const metadata = Object.entries(facts?.metadata ?? {});
    const about = facts
      ? [
          `--mime-type=${facts.contentType}`,
          ...metadata.map(([name, value]) => `--add-header=x-amz-meta-${name}:${value}`),
        ]
      : [];
    await this.s3cmd('put', ...about, file, this.at(key));
  }

  async get(key: string, file: string) {
    await this.s3cmd('get', '--force', this.at(key), file);
  }

  async putFolder(folder: string, prefix: string) {
    await this.s3cmd('put', '--recursive', `${folder}/`, this.at(prefix));
  }

  async getFolder(prefix: string, folder: string) {
    await this.s3cmd('get', '--recursive', '--force', this.at(prefix), `${folder}/`);
  }

  async stat(key: string) {
    const output = await this.s3cmd('info', this.at(key));
    const field = (name: string) => new RegExp(`^ +${name}: +(.*)$`, 'm').exec(output)?.[1] ?? '';
    const metadata = [...output.matchAll(/^ +x-amz-meta-(\S+): (.*)$/gm)];
    return {
      sizeBytes: Number(field('File size')),
      contentType: field('MIME type'),
      metadata: Object.fromEntries(metadata.map(([, name, value]) => [name, value])),
    };
  }

  async list(prefix: string) {
    const lines = linesOf(await this.s3cmd('ls', this.at(prefix)));
    const keys = (pattern: RegExp) =>
      lines.flatMap((line) => pattern.exec(line)?.[1]?.slice(this.at('').length) ?? []);
    return { keys: keys(OBJECT_LINE), folders: keys(/^ +DIR {2}(.*)$/) };
  }

  async listAll(prefix: string) {
    const lines = linesOf(await this.s3cmd('ls', '--recursive', this.at(prefix)));
    return lines.map((line) => OBJECT_LINE.exec(line)?.[1]?.slice(this.at('').length) ?? line);
  }

  async copy(from: string, to: string) {
    await this.s3cmd('cp', this.at(from), this.at(to));
  }

  async delete(key: string) {
    await this.s3cmd('del', this.at(key));
  }

  async deleteKeys(keys: readonly string[]) {
    await this.s3cmd('del', ...keys.map((key) => this.at(key)));
  }

  async deleteUnder(prefix: string) {
    await this.s3cmd('del', '--recursive', '--force', this.at(prefix));
  }

  presignGet(): Promise<string> {
    throw new Error(s3cmd.limits.presignGet);
  }
}
