/** A server for the demo: in a temporary folder, on free ports, with a key of its own. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTrainerPython } from '../training-packages.ts';

export interface DemoServer {
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

const MAIN = join(import.meta.dirname, '../../server/src/main.ts');

export async function startServer(): Promise<DemoServer> {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-demo-'));
  // A server run by root gives each sandbox a user of its own, and that user must be able to enter this folder.
  chmodSync(folder, 0o711);
  const key = `dd_${randomBytes(30).toString('base64url')}`;
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      PORT: '0',
      DRYDOCK_S3_PORT: '0',
      DRYDOCK_DATA_DIR: join(folder, 'data'),
      DRYDOCK_INIT_API_KEY: key,
      DRYDOCK_LOG_LEVEL: 'error',
      // The trainer is installed below the data directory of the permanent server.
      DRYDOCK_TRAINER_PYTHON: findTrainerPython(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  console.log('Starting a server in a temporary folder.');
  try {
    return { url: await readUrl(child.stdout, exited), key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The banner contains the address when the server listens. */
function readUrl(output: NodeJS.ReadableStream, exited: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const url = /runs on +(\S+)\n/.exec(text)?.[1];
      if (url) resolve(url);
    });
    void exited.then(() => reject(new Error('The server of the demo did not start; see above.')));
  });
}
