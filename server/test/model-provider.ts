/** A model provider that implements OpenAI's chat completions with scripted responses and faults. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The request body as it was sent. */
  readonly text: string;
  readonly body: ChatBody;
  /** Whether the caller disconnected before its response was complete. */
  isAborted: boolean;
}

export interface ChatBody {
  readonly model?: string;
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly [field: string]: unknown;
}

/** Produces the response to one request. */
export type Script = (request: RecordedRequest, response: ServerResponse) => void;

export interface ModelProvider {
  /** Base URL for the list of providers, including `/v1`. */
  readonly baseUrl: string;
  readonly requests: readonly RecordedRequest[];
  /** Scripts the next responses, in order; later requests get the last script of `always`. */
  next(...scripts: Script[]): void;
  always(script: Script): void;
  openSockets(): number;
  /** Number of connections ever opened. */
  socketCount(): number;
  close(): Promise<void>;
}

export async function startModelProvider(): Promise<ModelProvider> {
  const sockets: Socket[] = [];
  const requests: RecordedRequest[] = [];
  const scripts: Script[] = [];
  let otherwise: Script = answers();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const { method = '', url: path = '', headers } = request;
      const recorded = { method, path, headers, text, body: parse(text), isAborted: false };
      requests.push(recorded);
      response.on('close', () => {
        recorded.isAborted = !response.writableFinished;
      });
      (scripts.shift() ?? otherwise)(recorded, response);
    });
  });
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    next: (...more) => void scripts.push(...more),
    always: (script) => {
      otherwise = script;
    },
    openSockets: () => sockets.filter((socket) => !socket.destroyed).length,
    socketCount: () => sockets.length,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function parse(text: string): ChatBody {
  try {
    return JSON.parse(text) as ChatBody;
  } catch {
    return {};
  }
}

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

interface Answer {
  /** Text that is streamed word by word. */
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Sent unchanged, valid or not; null omits it. */
  readonly usage?: unknown;
  readonly id?: string;
  readonly delayMs?: number;
}

const TEXT = 'Hello from the provider.';
const USAGE = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
const EVENTS = { 'content-type': 'text/event-stream' };

/** Responds as a correct provider, plain or streamed as requested. */
export function answers(answer: Answer = {}): Script {
  return (request, response) => {
    const send = () =>
      request.body.stream
        ? streamAll(response, toChunks(answer, request.body))
        : sendJson(response, 200, toCompletion(answer, request.body));
    if (answer.delayMs === undefined) send();
    else setTimeout(send, answer.delayMs);
  };
}

export function toCompletion(answer: Answer, { model }: ChatBody): object {
  const { text = TEXT, toolCalls, usage = USAGE, id = 'chatcmpl-upstream' } = answer;
  const calls = toolCalls?.map(({ id: callId, ...called }) => ({
    id: callId,
    type: 'function',
    function: called,
  }));
  const message = { role: 'assistant', content: calls ? null : text, ...(calls && { tool_calls: calls }) };
  const choice = { index: 0, message, logprobs: null, finish_reason: calls ? 'tool_calls' : 'stop' };
  return {
    id,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [choice],
    ...(usage !== null && { usage }),
  };
}

/** Chunks of a stream, including one with the usage if it was requested. */
export function toChunks(answer: Answer, { model, stream_options }: ChatBody): object[] {
  const { text = TEXT, toolCalls, usage = USAGE, id = 'chatcmpl-upstream' } = answer;
  const chunk = (choices: readonly object[], more = {}) => ({
    id,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model,
    choices,
    ...more,
  });
  const say = (delta: object, reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }]);
  const called = toolCalls?.flatMap(({ id: callId, name, arguments: given }, index) => [
    say({ tool_calls: [{ index, id: callId, type: 'function', function: { name, arguments: '' } }] }),
    ...given.split(/(?<=,)/).map((part) => say({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]);
  return [
    say({ role: 'assistant', content: toolCalls ? null : '' }),
    ...(called ?? text.split(/(?<= )/).map((content) => say({ content }))),
    say({}, toolCalls ? 'tool_calls' : 'stop'),
    ...(stream_options?.include_usage && usage !== null ? [chunk([], { usage })] : []),
  ];
}

export const toEvent = (chunk: object) => `data: ${JSON.stringify(chunk)}\n\n`;

function streamAll(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, EVENTS);
  for (const chunk of chunks) response.write(toEvent(chunk));
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Receives the request and never responds. */
export const stalls = (): Script => () => undefined;

/** Sends some chunks, then nothing. */
export function stallsMidStream(chunks = 3): Script {
  return ({ body }, response) => {
    response.writeHead(200, EVENTS);
    for (const chunk of toChunks({}, body).slice(0, chunks)) response.write(toEvent(chunk));
  };
}

/** Sends some chunks, then endless comments. */
export function commentsMidStream(chunks = 3): Script {
  return ({ body }, response) => {
    response.writeHead(200, EVENTS);
    for (const chunk of toChunks({}, body).slice(0, chunks)) response.write(toEvent(chunk));
    const timer = setInterval(() => response.write(': still here\n\n'), 20);
    response.once('close', () => clearInterval(timer));
  };
}

/** Sends some chunks, then closes the connection. A plain response stops halfway. */
export function dropsMidStream(chunks = 3): Script {
  return ({ body }, response) => {
    const parts = toChunks({}, body).slice(0, chunks).map(toEvent);
    const whole = JSON.stringify(toCompletion({}, body));
    response.writeHead(200, body.stream ? EVENTS : { 'content-length': String(whole.length) });
    response.write(body.stream ? parts.join('') : whole.slice(0, 40), () =>
      setTimeout(() => response.destroy(), 20),
    );
  };
}

/** Closes connections immediately after accepting them. */
export const dropsAtOnce = (): Script => (_, response) => void response.destroy();

/** Waits for a while and closes the connection without a response. */
export function dropsLate(afterMs: number): Script {
  return (_, response) => void setTimeout(() => response.destroy(), afterMs);
}

/** Returns 200 with a body that is not a chat completion. */
export function garbage(text = '<html>Welcome!</html>'): Script {
  return ({ body }, response) =>
    void response.writeHead(200, body.stream ? EVENTS : { 'content-type': 'application/json' }).end(text);
}

/** Sends a valid chunk, then an invalid one. */
export function garbageEvents(event = 'data: {"id": oops}\n\n'): Script {
  return ({ body }, response) => {
    const [first = {}] = toChunks({}, body);
    response.writeHead(200, EVENTS).end(`${toEvent(first)}${event}data: [DONE]\n\n`);
  };
}

/** Returns an error in OpenAI's format. */
export function fails(
  status: number,
  message = 'It does not work.',
  headers: Record<string, string> = {},
): Script {
  return (_, response) =>
    sendJson(response, status, { error: { message, type: 'some_error', code: null, param: null } }, headers);
}

/** Returns 429. */
export const refusesMore = (retryAfter: string): Script =>
  fails(429, 'Too many requests.', { 'retry-after': retryAfter });

export const redirects = (location = 'http://169.254.169.254/latest/meta-data/'): Script =>
  fails(307, 'It has moved.', { location });

/** Returns the key of the request to the client. */
export function echoesKey(status: number): Script {
  return (request, response) =>
    fails(status, `Incorrect API key provided: ${request.headers.authorization}.`)(request, response);
}

/** Sends these bytes, each chunk separately. */
export function sends(
  pieces: readonly (string | Buffer)[],
  headers: Record<string, string> = EVENTS,
  everyMs = 1,
): Script {
  return (_, response) => {
    const [...rest] = pieces;
    const sendOne = () => {
      const piece = rest.shift();
      if (piece === undefined) return void response.end();
      return void response.write(piece, () => setTimeout(sendOne, everyMs));
    };
    response.writeHead(200, headers);
    sendOne();
  };
}
