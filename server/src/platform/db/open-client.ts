import pg from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;
/** Sooner than a firewall or proxy drops a connection that is silent while a backup copies files. */
const KEEP_ALIVE_MS = 30_000;

/** Opens one connection outside the pool. Without the listener, losing it would end this process. */
export async function openClient(url: string, purpose: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `drydock ${purpose}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  client.on('error', () => undefined); // statements that wait on it fail by themselves
  await client.connect();
  return client;
}
