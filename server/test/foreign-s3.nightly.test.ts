/** The external driver against an S3 that is not ours: radosgw, or the one that `S3_*` name. */
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { createS3Client } from '../src/platform/object-storage/outside/clients.ts';
import type { OutsideOptions } from '../src/platform/object-storage/outside/outside-options.ts';
import { OutsideStorage } from '../src/platform/object-storage/outside/outside-storage.ts';
import type { SuiteOptions } from './object-storage-suite/workbench.ts';
import { describeObjectStorage } from './object-storage-suite.ts';
import { ODD_KEYS } from './odd-keys.ts';
import { describeOutsideStorage } from './outside-storage-suite.ts';
import { describeMissingRadosgw, type Radosgw, startRadosgw } from './radosgw.ts';

const { s3: given } = loadConfig(process.env);
const obstacle = given ? '' : describeMissingRadosgw();
let options: OutsideOptions;
let storage: OutsideStorage;
let radosgw: Radosgw | undefined;

async function open(): Promise<void> {
  if (!given) {
    radosgw = await startRadosgw();
    await createBucket(radosgw.options);
  }
  const found = given ?? radosgw?.options;
  if (!found) throw new Error('there is no S3');
  options = found;
  storage = new OutsideStorage(options);
}

async function createBucket(options: OutsideOptions): Promise<void> {
  const client = createS3Client(options);
  await client.send(new CreateBucketCommand({ Bucket: options.bucket }));
  client.destroy();
}

const OF_RADOSGW: SuiteOptions = {
  // This store checks both against the name of the bucket instead of the objects.
  refusedInside: ['deleteMany', 'copyPart'],
  // Its tokens are encrypted but not authenticated; the page on object storage warns of it.
  guardsTokens: false,
};

/** This store keeps objects as files. */
const OF_MINIO: SuiteOptions = {
  unusableKeys: ODD_KEYS.filter((key) => key.includes('//') || key.startsWith('/')),
  nestsObjects: false,
  findsUploads: false,
};

const server = given?.endpoint && (await fetch(given.endpoint)).headers.get('server');
const limits = given ? (server === 'MinIO' ? OF_MINIO : {}) : OF_RADOSGW;

describe.skipIf(obstacle)('the external driver', () => {
  beforeAll(open, 120_000);
  afterAll(async () => {
    await storage.close();
    await radosgw?.stop();
  });

  describeObjectStorage(given ? `${server} at ${given.endpoint}` : 'radosgw', () => storage, limits);
  describeOutsideStorage(() => options, limits);
});

if (obstacle) test('the external driver with radosgw', ({ skip }) => skip(obstacle));
