/** rclone, with a remote that is configured only by environment variables. */
import { findProgram } from '../../../scripts/system-packages.ts';
import type { S3Access } from '../workspace-storage.ts';
import { clientProgram, type RunProgram } from './client-program.ts';
import { below, type Facts, type S3ClientKind, type S3TestClient } from './s3-test-client.ts';

export const rclone: S3ClientKind = {
  title: 'rclone',
  program: findProgram('rclone'),
  limits: {
    keys: [
      { like: /\/\//, reason: 'its paths are cleaned, so that they have no empty names' },
      { like: /\/$/, reason: 'to it that is a folder' },
    ],
    deleteKeys: 'it looks for each first, and deletes only what it has found',
  },
  open: (access, home) => new Rclone(access, home),
};

/** Otherwise it treats names that differ only in their Unicode form as the same file. */
const EXACT = '--no-unicode-normalization';

interface Item {
  readonly Path: string;
  readonly IsDir: boolean;
}

class Rclone implements S3TestClient {
  private readonly rclone: RunProgram;
  private readonly bucket: string;

  constructor(access: S3Access, home: string) {
    const run = clientProgram(rclone.program, home, {
      RCLONE_CONFIG: '/dev/null',
      RCLONE_CONFIG_STORE_TYPE: 's3',
      RCLONE_CONFIG_STORE_PROVIDER: 'Other',
      RCLONE_CONFIG_STORE_ENDPOINT: access.endpoint,
      RCLONE_CONFIG_STORE_REGION: access.region,
      RCLONE_CONFIG_STORE_ACCESS_KEY_ID: access.accessKeyId,
      RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY: access.secretAccessKey,
      RCLONE_CONFIG_STORE_SESSION_TOKEN: access.sessionToken,
      RCLONE_CONFIG_STORE_FORCE_PATH_STYLE: 'true',
      // Otherwise it creates the bucket before it writes, which is not permitted.
      RCLONE_CONFIG_STORE_NO_CHECK_BUCKET: 'true',
      // Its default is 200 MiB.
      RCLONE_CONFIG_STORE_UPLOAD_CUTOFF: '16Mi',
    });
    // Retries do not change a refusal.
    this.rclone = (...args) => run(...args, '--retries=1', '--low-level-retries=1');
    this.bucket = access.bucket;
  }

  private at(key: string) {
    return `store:${this.bucket}/${key}`;
  }

  async put(file: string, key: string, facts?: Facts) {
    const metadata = Object.entries({
      ...facts?.metadata,
      ...(facts && { 'content-type': facts.contentType }),
    });
    const about = facts
      ? ['--metadata', ...metadata.map((entry) => `--metadata-set=${entry.join('=')}`)]
      : [];
    await this.rclone('copyto', ...about, '--no-check-dest', file, this.at(key));
  }

  async get(key: string, file: string) {
    // Reads concurrent ranges, as it does for large files.
    const parts = ['--multi-thread-cutoff=64M', '--multi-thread-streams=4'];
    await this.rclone('copyto', '--ignore-times', ...parts, this.at(key), file);
  }

  async putFolder(folder: string, prefix: string) {
    await this.rclone('copy', EXACT, folder, this.at(prefix));
  }

  async getFolder(prefix: string, folder: string) {
    await this.rclone('copy', EXACT, this.at(prefix), folder);
  }

  async stat(key: string) {
    const output = await this.rclone('lsjson', '--stat', '--metadata', this.at(key));
    const { Size, MimeType, Metadata } = JSON.parse(output);
    return { sizeBytes: Size, contentType: MimeType, metadata: Metadata };
  }

  private async items(...args: string[]): Promise<Item[]> {
    return JSON.parse(await this.rclone('lsjson', '--no-modtime', '--no-mimetype', ...args));
  }

  async list(prefix: string) {
    const items = await this.items(this.at(prefix));
    const names = (isDir: boolean) => items.filter(({ IsDir }) => IsDir === isDir).map(({ Path }) => Path);
    return {
      keys: below(prefix, names(false)),
      folders: below(prefix, names(true)).map((name) => `${name}/`),
    };
  }

  async listAll(prefix: string) {
    const items = await this.items('--recursive', '--files-only', '--fast-list', this.at(prefix));
    return below(
      prefix,
      items.map(({ Path }) => Path),
    );
  }

  async copy(from: string, to: string) {
    await this.rclone('copyto', '--ignore-times', this.at(from), this.at(to));
  }

  /** `deletefile` would report a refusal as "doesn't exist". */
  async delete(key: string) {
    await this.rclone('delete', this.at(key));
  }

  deleteKeys(): Promise<void> {
    throw new Error(rclone.limits.deleteKeys);
  }

  async deleteUnder(prefix: string) {
    await this.rclone('delete', this.at(prefix));
  }

  async presignGet(key: string, seconds: number) {
    return (await this.rclone('link', `--expire=${seconds}s`, this.at(key))).trim();
  }
}
