/** Minimal terminal clients: a WebSocket, and everything received on it. */
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { WebSocket } from 'ws';

export interface TerminalPlaceInTest {
  /** Base URL such as `http://127.0.0.1:1234`. */
  readonly url: string;
  readonly runtime: string;
  readonly key?: string | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

interface EventData {
  readonly type: string;
  readonly terminal_id?: string;
  readonly offset?: number;
  readonly lost?: number;
  readonly code?: number;
  readonly detail?: string;
}

export class TerminalClient {
  readonly socket: WebSocket;
  readonly messages: EventData[] = [];
  readonly #chunks: Buffer[] = [];
  /** The code of the close. */
  readonly closed: Promise<number>;

  constructor({ url, runtime, key, query = {}, protocols = [], headers = {} }: TerminalPlaceInTest) {
    const address = new URL(
      `/api/v1/org/main/ws/main/runtimes/${runtime}/terminal`,
      url.replace(/^http/, 'ws'),
    );
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
    const credential = key && { authorization: `Bearer ${key}` };
    this.socket = new WebSocket(address, [...protocols], { headers: { ...credential, ...headers } });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#chunks.push(data);
      else this.messages.push(JSON.parse(data.toString()));
    });
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', (code) => resolve(code)));
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  get received(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  say(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async until(pattern: RegExp): Promise<void> {
    await vi.waitFor(() => expect(this.text).toMatch(pattern), { interval: 10 });
  }

  /** Cuts the connection as a network does, without notifying either side. */
  async cut(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Resolves when it is attached. */
export async function attach(place: TerminalPlaceInTest): Promise<TerminalClient & { readonly id: string }> {
  const client = new TerminalClient(place);
  const refused = new Promise<never>((_, reject) => {
    client.socket.once('unexpected-response', (_request, response) =>
      reject(new Error(`refused: ${response.statusCode}`)),
    );
    client.socket.once('error', reject);
  });
  refused.catch(() => undefined);
  const attached = vi.waitFor(() => expect(client.messages[0]).toMatchObject({ type: 'attached' }), {
    interval: 5,
  });
  await Promise.race([attached, refused]);
  return Object.assign(client, { id: client.messages[0]?.terminal_id ?? '' });
}

/** Returns the response that is sent instead of the WebSocket upgrade. */
export async function refusalOf(place: TerminalPlaceInTest): Promise<{ status: number; body: unknown }> {
  const { socket } = new TerminalClient(place);
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response));
    socket.once('open', () => reject(new Error('it was let in')));
  });
  return { status: received.statusCode ?? 0, body: await json(received) };
}
