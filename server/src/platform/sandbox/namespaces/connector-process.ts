/**
 * Opens connections to what listens in a sandbox: a process that has joined its network, and nothing else of it, and that hands each
 * connection on to the server. No byte passes through it.
 *
 * It is run as text, by a user who may not be able to read the files of the server: it can name nothing outside of itself.
 */
import type { Socket } from 'node:net';

export interface ConnectRequest {
  readonly id: number;
  readonly port: number;
}

/** With the connection, where there is one. */
export interface ConnectAnswer {
  readonly id: number;
  /** Of what the system said instead. */
  readonly code?: string;
}

export function serveConnections(): void {
  const { connect } = process.getBuiltinModule('node:net');
  // What listens at `localhost` may listen at either.
  const HOSTS = ['127.0.0.1', '::1'];
  const TIMEOUT_MS = 10_000;

  const open = ({ id, port }: ConnectRequest, [host = '', ...others]: readonly string[], first?: string) => {
    const socket = connect({ host, port, noDelay: true });
    socket.pause(); // what comes first is for whoever gets it
    const fail = (code = '') => {
      socket.destroy();
      if (others.length > 0) open({ id, port }, others, first ?? code);
      else tell({ id, code: first ?? code });
    };
    const late = setTimeout(() => fail('ETIMEDOUT'), TIMEOUT_MS);
    socket.once('error', ({ code }: NodeJS.ErrnoException) => {
      clearTimeout(late);
      fail(code);
    });
    socket.once('connect', () => {
      clearTimeout(late);
      tell({ id }, socket);
    });
  };
  // When nobody is there to be told, this process is about to end.
  const tell = (answer: ConnectAnswer, socket?: Socket) =>
    process.send?.(answer, socket, undefined, () => undefined);

  process.on('message', (request: ConnectRequest) => open(request, HOSTS));
  process.on('disconnect', () => process.exit());
}
