/** A server in a separate process, whose addresses stay the same across restarts. */
import { type AddressInfo, createServer } from 'node:net';
import { Drydock } from '../../sdk/src/drydock.ts';
import { FIRST_START } from './first-start.ts';
import { newDataDir, type RunningServer, startServer } from './processes.ts';

const KEY = FIRST_START.apiKey;
/** A client waits for a restarting server. */
const MAX_RETRIES = 30;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

export async function openRestartableServer(more: Record<string, string> = {}) {
  const dataDir = newDataDir();
  const environment = {
    DRYDOCK_DATA_DIR: dataDir,
    DRYDOCK_INIT_API_KEY: KEY,
    DRYDOCK_LOG_LEVEL: 'error',
    PORT: await freePort(),
    DRYDOCK_S3_PORT: await freePort(),
    ...more,
  };
  let running: RunningServer = await startServer(environment);
  const drydock = new Drydock({ baseUrl: running.url, apiKey: KEY, maxRetries: MAX_RETRIES });
  return {
    drydock,
    url: running.url,
    dataDir,
    stop: () => running.stop(),
    async kill() {
      await running.stop('SIGKILL');
      running = await startServer(environment);
    },
  };
}

export type RestartableServer = Awaited<ReturnType<typeof openRestartableServer>>;
