/** A program that listens in the sandbox of a runtime, and clients that reach it from outside. */
import { readFileSync } from 'node:fs';
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { atEndOfFile } from './end-of-file.ts';
import { type Client, startTestServer } from './harness.ts';
import { until } from './processes.ts';

export const RUNTIMES = '/org/main/ws/main/runtimes';
/** Ports of the runtime `first`. */
export const PORTS = `/api/v1${RUNTIMES}/first/ports`;
export const INSIDE_PORT = 8000;
const PROGRAM = readFileSync(join(import.meta.dirname, 'python/inside_server.py'), 'utf8');

export interface InsideResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly text: string;
  /** Whether the response ended normally and was not cut off. */
  readonly isWhole: boolean;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  readonly key?: string;
}

/** The request as the program inside received it. */
export interface Echoed {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly length: number;
  readonly sha256: string;
}

/** Starts a server with the runtime `first`, in which the program listens. */
export async function openInside() {
  const server = await startTestServer({}, [], { hasSandboxes: true });
  const me = server.as(server.owner);
  const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  if (available) await startInside(me, 'first', [INSIDE_PORT, 9]);
  const inside = new PortClient(url, server.owner.key, 'first');
  atEndOfFile(async () => inside.close());
  return { server, url, inside, available: available as boolean };
}

/** Creates a runtime that exposes the port, and starts the program in it. */
export async function startInside(
  me: Pick<Client, 'post'>,
  key: string,
  ports: readonly number[] = [INSIDE_PORT],
) {
  const config = { sandbox: { exposed_ports: ports } };
  await me.post(RUNTIMES, { key, config });
  const { status, body } = await me.post(`${RUNTIMES}/${key}/start`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  await listenInside(me, key);
}

export async function listenInside(me: Pick<Client, 'post'>, key: string): Promise<void> {
  const run = (command: string, stdin = '') =>
    me.post(`${RUNTIMES}/${key}/exec`, { command, stdin, timeout_seconds: 30 });
  await run('cat >/workspace/server.py', PROGRAM);
  await run(`setsid python3 /workspace/server.py ${INSIDE_PORT} >/workspace/complaints 2>&1 </dev/null &`);
  await until('it listens', async () => {
    const { body } = await run(`exec 3<>/dev/tcp/127.0.0.1/${INSIDE_PORT}`);
    return body.exit_code === 0;
  });
}

export class PortClient {
  readonly #url: string;
  readonly #credential: string;
  readonly #agent = new Agent({ keepAlive: true });

  /** @param url of the server */
  constructor(url: string, credential: string, runtime: string, port = INSIDE_PORT) {
    this.#url = `${url}/api/v1${RUNTIMES}/${runtime}/ports/${port}`;
    this.#credential = credential;
  }

  /** @param path sent unchanged, with its leading slash */
  open(
    path: string,
    { method = 'GET', headers = {}, key = this.#credential }: SendOptions = {},
  ): ClientRequest {
    const { origin, hostname, port, pathname } = new URL(this.#url);
    const authorization = `Bearer ${key}`;
    return request(origin, {
      hostname,
      port,
      path: pathname + path,
      method,
      agent: this.#agent,
      headers: { authorization, ...headers },
    });
  }

  async send(path: string, options: SendOptions = {}): Promise<InsideResponse> {
    const { body, headers } = options;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = this.open(path, { ...options, headers: { ...length, ...headers } });
    sent.end(body);
    return readResponse(await responseOf(sent));
  }

  async echo(path: string, options: SendOptions = {}): Promise<Echoed> {
    const { status, text } = await this.send(path, options);
    if (status !== 200) throw new Error(`${status} ${text}`);
    return JSON.parse(text) as Echoed;
  }

  async counts(): Promise<{ connections: number; open: number; left: number; silent: number }> {
    return JSON.parse((await this.send('/counts')).text);
  }

  /** Makes the program send a raw response and close the connection as requested. */
  raw(response: string, { wait = 0, isReset = false } = {}): Promise<InsideResponse> {
    const encoded = encodeURIComponent(Buffer.from(response, 'latin1').toString('base64'));
    return this.send(`/raw?answer=${encoded}&wait=${wait}${isReset ? '&reset=1' : ''}`);
  }

  webSocket(query = '', headers: Record<string, string> = {}): WebSocket {
    return new WebSocket(`${this.#url.replace(/^http/, 'ws')}/websocket${query}`, {
      headers: { authorization: `Bearer ${this.#credential}`, ...headers },
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

export const valueOf = (headers: Echoed['headers'], name: string) =>
  headers.find(([each]) => each.toLowerCase() === name)?.[1];

export function responseOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve).on('error', reject);
  });
}

export async function readResponse(response: IncomingMessage): Promise<InsideResponse> {
  const { statusCode: status = 0, headers } = response;
  const parts: Buffer[] = [];
  response.on('data', (part: Buffer) => void parts.push(part));
  const isWhole = await new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(response.complete)).on('error', () => undefined);
  });
  const bytes = Buffer.concat(parts);
  return { status, headers, bytes, text: bytes.toString(), isWhole };
}
