/** Connects to addresses that were checked. */
import { connect, type Socket } from 'node:net';

export const CONNECT_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 4;

/**
 * Connects to the first address that responds.
 * @throws the error of the last one
 */
export async function connectToFirst(
  addresses: readonly string[],
  port: number,
  idleTimeoutMs: number,
): Promise<Socket> {
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ATTEMPTS)) {
    try {
      const socket = await connectTo(address, port);
      socket.setTimeout(idleTimeoutMs, () => socket.destroy());
      return socket;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** @param address an IP address: nothing is resolved here */
function connectTo(address: string, port: number): Promise<Socket> {
  return new Promise((connected, failed) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    const late = () => socket.destroy(new Error('the connection timed out'));
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    // The listener stays for the life of the connection: its user sees the end as `close`.
    socket.on('error', failed);
    socket.once('close', () => clearTimeout(timer));
    socket.once('connect', () => {
      clearTimeout(timer);
      connected(socket);
    });
  });
}
