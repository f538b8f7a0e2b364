/** The driver for any S3, against a gateway in another process that is to it what a foreign S3 is. */
import { afterAll } from 'vitest';
import { OutsideStorage } from '../src/platform/object-storage/outside/outside-storage.ts';
import { startForeignS3 } from './foreign-s3-process.ts';
import { describeObjectStorage } from './object-storage-suite.ts';
import { describeOutsideStorage } from './outside-storage-suite.ts';

const options = await startForeignS3();
const storage = new OutsideStorage(options);
afterAll(() => storage.close());

describeObjectStorage('a second gateway as foreign S3', () => storage);
describeOutsideStorage(() => options);
