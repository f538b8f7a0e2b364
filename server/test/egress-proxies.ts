/** Sandbox proxies and hosts for them to reach, all on loopback, under their own names. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AllowList } from '../src/platform/sandbox/egress/allow-list.ts';
import { type EgressOptions, EgressProxy } from '../src/platform/sandbox/egress/proxy.ts';
import type { EgressEntry } from '../src/platform/sandbox/sandbox-provider.ts';
import { atEndOfFile } from './end-of-file.ts';

export interface TestProxy {
  readonly socketPath: string;
  readonly entries: EgressEntry[];
  readonly proxy: EgressProxy;
}

/** Every name resolves to 127.0.0.1, which is permitted. */
export async function openProxy(
  allow: readonly string[],
  options: Partial<EgressOptions> = {},
): Promise<TestProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-egress-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  const socketPath = options.socketPath ?? join(folder, 'proxy.sock');
  const entries: EgressEntry[] = [];
  const proxy = await EgressProxy.open({
    socketPath,
    uid: process.getuid?.() ?? 0,
    allow: new AllowList(allow),
    egress: (entry) => entries.push(entry),
    resolve: async () => ['127.0.0.1'],
    isReachable: () => true,
    ...options,
  });
  atEndOfFile(() => proxy.close());
  return { socketPath, entries, proxy };
}

/** @returns its port */
export async function openHost(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  atEndOfFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** @returns its port */
export async function openTcpHost(take: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    take(socket);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  atEndOfFile(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface ProxyResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

/** Sends a proxy request for `http://…`, as a client with a configured proxy does. */
export function ask(socketPath: string, url: string, asked: Asked = {}): Promise<ProxyResponse> {
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      path: url,
      method: asked.method ?? 'GET',
      headers: asked.headers ?? {},
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.end(asked.body);
  });
}

export interface Tunnel {
  readonly status: number;
  readonly socket: Socket;
  /** Body of a refusal. */
  readonly body: string;
}

export function askTunnel(socketPath: string, authority: string): Promise<Tunnel> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method: 'CONNECT', path: authority, agent: false });
    sent.on('error', reject);
    sent.on('connect', (response, socket, head) => {
      socket.on('error', () => undefined);
      const status = response.statusCode ?? 0;
      if (status === 200) return resolve({ status, socket, body: head.toString() });
      const chunks: Buffer[] = [head];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('end', () => resolve({ status, socket, body: Buffer.concat(chunks).toString() }));
    });
    sent.end();
  });
}

/** @returns everything received until the proxy closed the connection */
export function sendRaw(socketPath: string, bytes: string | Buffer): Promise<string> {
  return new Promise((closed) => {
    const socket = connect(socketPath);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => closed(Buffer.concat(chunks).toString('latin1')));
    socket.end(bytes);
  });
}
