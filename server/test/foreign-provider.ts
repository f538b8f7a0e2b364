/** A server in place of Anthropic or Google: it returns scripted responses and records the requests. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach } from 'vitest';

interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

type Turn = (response: ServerResponse) => void | Promise<void>;

export interface ForeignProvider {
  readonly url: string;
  readonly received: Received[];
  /** The responses to the next requests, one each. */
  readonly turns: Turn[];
  /** Resolves when the other side has closed the connection of a request whose response was incomplete. */
  readonly abandoned: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Shared by all tests of a file; each begins with no received requests and no scripted responses. */
export async function useForeignProvider(): Promise<ForeignProvider> {
  const provider = await startForeignProvider();
  afterAll(() => provider.close());
  beforeEach(() => {
    provider.received.length = 0;
    provider.turns.length = 0;
  });
  return provider;
}

async function startForeignProvider(): Promise<ForeignProvider> {
  const received: Received[] = [];
  const turns: Turn[] = [];
  let abandon = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) abandon.resolve();
    });
    void text(request).then((body) => {
      received.push({ url: request.url ?? '', headers: request.headers, body: JSON.parse(body) });
      const turn = turns.shift() ?? json(500, { error: 'The test expected no such request.' });
      return turn(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    turns,
    abandoned: async () => {
      await abandon.promise;
      abandon = Promise.withResolvers<void>();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Turn {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Irregular ends of a stream: closed as if it were complete, cut, never, or never except for pings. */
type Ending = 'end' | 'cut' | 'stall' | 'pings';

export function events(text: string, ending: Ending = 'end'): Turn {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    // Chunks that end anywhere, even within a character.
    const bytes = Buffer.from(text);
    const half = Math.floor(bytes.length / 2);
    response.write(bytes.subarray(0, half));
    await new Promise((resolve) => setImmediate(resolve));
    response.write(bytes.subarray(half), () => {
      if (ending === 'cut') response.destroy();
    });
    if (ending === 'end') response.end();
    if (ending !== 'pings') return;
    const timer = setInterval(() => response.write(anthropicEvents({ type: 'ping' })), 20);
    response.once('close', () => clearInterval(timer));
  };
}

/** A complete response of Anthropic. */
export function anthropicMessage(content: readonly object[], more: object = {}): object {
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
    ...more,
  };
}

/** Anthropic names its events. */
export function anthropicEvents(...list: readonly { readonly type: string }[]): string {
  return list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

export function googleEvents(...list: readonly object[]): string {
  return list.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
}

export const stall: Turn = () => undefined;

export const hangUp: Turn = (response) => void response.destroy();
