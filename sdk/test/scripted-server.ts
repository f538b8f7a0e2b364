/** A real HTTP server that responds by a script, one step per request, and records the requests. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Step = (response: ServerResponse, seen: Seen) => unknown;

export interface ScriptedServer {
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** The last step responds to all further requests too. */
export async function startScriptedServer(...steps: readonly Step[]): Promise<ScriptedServer> {
  const seen: Seen[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: await text(request) };
    seen.push(one);
    await steps[Math.min(seen.length, steps.length) - 1]?.(response, one);
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const refusal = (
  status: number,
  type: string,
  detail: string,
  headers: Record<string, string> = {},
): Step => json(status, { code: status, type, detail }, { 'x-request-id': 'request-1', ...headers });

export const noContent: Step = (response) => response.writeHead(204).end();

export const hangUp: Step = (response) => response.destroy();

export const silence: Step = () => undefined;

/** Sends an event stream in these pieces, and ends it. */
export const events =
  (...pieces: readonly string[]): Step =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'request-1' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  };
