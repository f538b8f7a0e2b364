/** Runs the generic S3 driver against a gateway in another process, which it treats like an external S3. */
import { afterAll } from 'vitest';
import { OutsideStorage } from '../src/platform/object-storage/outside/outside-storage.ts';
import { describeObjectStorage } from './object-storage-suite.ts';
import { describeOutsideStorage } from './outside-storage-suite.ts';
import { startSecondGateway } from './second-gateway-process.ts';

const options = await startSecondGateway();
const storage = new OutsideStorage(options);
afterAll(() => storage.close());

describeObjectStorage('a second gateway as an S3 of others', () => storage);
describeOutsideStorage(() => options);
