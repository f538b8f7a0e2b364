import pg from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;

/** One connection outside of the pool. Without the listener, losing it would end this process. */
export async function openClient(url: string, purpose: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `drydock ${purpose}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // whatever waits on it fails by itself
  await client.connect();
  return client;
}
