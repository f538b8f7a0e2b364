/**
 * Opens connections to ports in a sandbox: a process that has joined the sandbox's network, and nothing else, and that passes each
 * connection to the server. No data passes through it. It runs from a text, as a user who may not be able to read the server's files, and
 * cannot import anything.
 */
import type { Socket } from 'node:net';

export interface ConnectRequest {
  readonly id: number;
  readonly port: number;
}

/** Result of a request, sent together with the connection if there is one. */
export interface ConnectResult {
  readonly id: number;
  /** Error code of the system when there is no connection. */
  readonly code?: string;
}

export function serveConnections(): void {
  const { connect } = process.getBuiltinModule('node:net');
  // A server at `localhost` may listen on either address.
  const HOSTS = ['127.0.0.1', '::1'];
  const TIMEOUT_MS = 10_000;

  const open = ({ id, port }: ConnectRequest, [host = '', ...others]: readonly string[], first?: string) => {
    const socket = connect({ host, port, noDelay: true });
    socket.pause(); // early data belongs to the receiver of the connection
    const fail = (code = '') => {
      socket.destroy();
      if (others.length > 0) open({ id, port }, others, first ?? code);
      else send({ id, code: first ?? code });
    };
    const late = setTimeout(() => fail('ETIMEDOUT'), TIMEOUT_MS);
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      clearTimeout(late);
      fail(code);
    });
    socket.once('connect', () => {
      clearTimeout(late);
      send({ id }, socket);
    });
  };
  // Ignores a closed channel, since this process is about to end then.
  const send = (result: ConnectResult, socket?: Socket) =>
    process.send?.(result, socket, undefined, () => undefined);

  process.on('message', (request: ConnectRequest) => open(request, HOSTS));
  process.on('disconnect', () => process.exit());
}
