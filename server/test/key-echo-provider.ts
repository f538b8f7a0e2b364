/** A provider of every kind that leaks the request's key wherever it can, and fails in the way that the model's name states. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Names of its models, each of which fails in its own way. */
export const WAYS_TO_FAIL = [
  ...[307, 400, 401, 403, 404, 408, 413, 422, 429, 500, 503].map((status) => `way-${status}`),
  'way-drop',
  'way-malformed',
  'way-garbage',
  'way-refuse-late',
  'way-break-off',
  'way-stall',
  'way-answer',
];

type Way = (key: string, response: ServerResponse) => void;

const WAYS: Readonly<Record<string, Way>> = {
  'way-drop': (_, response) => void response.destroy(),
  'way-malformed': (key, response) => {
    response.socket?.end(`HTTP/1.1 200 OK\r\nx-${key}: \0${key}\r\n ${key}\r\n\r\n${key}`);
  },
  'way-garbage': (key, response) => void response.end(JSON.stringify({ error: { message: key } })),
  // Fails in the first event, and after part of the response.
  'way-refuse-late': (key, response) => begin(response, key).end(errorEvents(key)),
  'way-break-off': (key, response) => begin(response, key).end(`${beginningOf(key)}${errorEvents(key)}`),
  'way-stall': (key, response) => void begin(response, key).write(`: ${key}\n\n`),
  'way-answer': (key, response) => void response.end(JSON.stringify(completionWith(key))),
};

export async function startKeyEchoProvider() {
  let calls = 0;
  const server = createServer((request, response) => {
    calls++;
    void respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    callCount: () => calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const key = keyOf(request);
  const [way = ''] = /way-[a-z0-9-]+/.exec(`${request.url} ${body}`) ?? [];
  response.setHeader('x-request-id', key);
  response.setHeader('retry-after', key);
  (WAYS[way] ?? fail(Number(way.slice('way-'.length))))(key, response);
}

function keyOf({ headers }: IncomingMessage): string {
  const given = headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key'];
  return String(given).replace(/^Bearer /, '');
}

function fail(status: number): Way {
  return (key, response) => {
    const message = `Not with ${key}, ${encodeURIComponent(key)} or ${btoa(key)}.`;
    response.writeHead(status, { location: `http://127.0.0.1:9/?key=${encodeURIComponent(key)}` });
    response.end(JSON.stringify({ type: 'error', error: { type: key, message, status: key, code: status } }));
  };
}

function begin(response: ServerResponse, key: string): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream', 'x-key': key });
}

const chunk = (key: string) => ({
  id: key,
  object: 'chat.completion.chunk',
  model: 'm',
  created: 1,
  choices: [{ index: 0, delta: { content: 'Some of it.' }, finish_reason: null }],
});

/** Begins like each of the three formats; a client skips the other formats' events or fails. */
const beginningOf = (key: string) => `data: ${JSON.stringify(chunk(key))}\n\n`;

const errorEvents = (key: string) =>
  `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: key, message: `Not with ${key}.`, code: 500, status: key } })}\n\n`;

/** A valid response in OpenAI's format, with the key as its id. */
const completionWith = (key: string) => ({
  id: key,
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
