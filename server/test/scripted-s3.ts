/** An S3 with scripted responses, which a correct one would not send, and the driver in front of it. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { OutsideStorage, type Tuning } from '../src/platform/object-storage/outside/outside-storage.ts';

const SETTINGS = {
  region: 'us-east-1',
  bucket: 'b',
  accessKeyId: 'k',
  secretAccessKey: 's',
  stsRoleArn: 'arn:aws:iam:::role/r',
};

/** Both are closed at the end of the test. */
export async function openScriptedS3(listener: RequestListener, tuning?: Tuning): Promise<OutsideStorage> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const storage = new OutsideStorage({ ...SETTINGS, endpoint }, { maxSilenceMs: 200, ...tuning });
  onTestFinished(async () => {
    await storage.close();
    server.closeAllConnections();
    server.close();
  });
  return storage;
}
