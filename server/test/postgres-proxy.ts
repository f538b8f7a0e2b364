/** Stands between a client and PostgreSQL and, when requested, drops notifications as a transaction pooler does. */
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { afterAll } from 'vitest';

const NOTIFICATION_RESPONSE = 'A'.charCodeAt(0);
const HEADER_BYTES = 5;

export interface PostgresProxy {
  readonly url: string;
  /** LISTEN is accepted, but no notification ever arrives. */
  keepsNotifications: boolean;
  /** New connections are refused, and existing ones are cut. */
  isAway: boolean;
  readonly connections: ReadonlySet<Socket>;
  cutAll(): void;
}

/** Stops when the test file ends. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const socketDir = target.searchParams.get('host') ?? '';
  const connections = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.isAway) {
      client.destroy();
      return;
    }
    connections.add(client);
    const upstream = connectSocket(`${socketDir}/.s.PGSQL.5432`);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
    client.on('close', () => connections.delete(client)).pipe(upstream);
    const filter = createFilter(() => proxy.keepsNotifications);
    upstream.on('data', (chunk: Buffer) => client.write(filter(chunk)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  target.searchParams.delete('host');
  target.hostname = '127.0.0.1';
  target.port = String(port);
  const cutAll = () => {
    for (const connection of connections) connection.destroy();
  };
  const proxy: PostgresProxy = {
    url: target.href,
    keepsNotifications: false,
    isAway: false,
    connections,
    cutAll,
  };
  afterAll(() => {
    cutAll();
    server.close();
  });
  return proxy;
}

/** Reads PostgreSQL's output message by message: a type of one byte, a length, and the rest. */
function createFilter(isKept: () => boolean): (chunk: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const passed: Buffer[] = [];
    while (rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      const message = rest.subarray(0, end);
      if (message[0] !== NOTIFICATION_RESPONSE || !isKept()) passed.push(message);
      rest = rest.subarray(end);
    }
    return Buffer.concat(passed);
  };
}
