/** Operates the sandboxes of another host, through the process that holds its lease. */
import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Duplex, PassThrough, Writable } from 'node:stream';
import { buffer, json } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import type { Signer } from '../../platform/auth/signing.ts';
import { ApiError } from '../../platform/errors.ts';
import { ErrorResponse } from '../../platform/http/responses/error-responses.ts';
import type { Command, Execution, Exit } from '../../platform/sandbox/sandbox-provider.ts';
import type { Emit, Target } from '../operator.ts';
import type { PauseReason, StartRequest } from '../schema.ts';
import type { TerminalLink, TerminalRequest } from '../terminals/terminal-link.ts';
import { openLink } from './forwarded-terminal.ts';
import { FRAMES, pour, readFrames, sendFrame, sendPieces } from './frames.ts';
import {
  fromErrorResponse,
  type HostRequest,
  HostResponse,
  type HostVerb,
  INTERNAL_PREFIX,
  REQUEST_HEADER,
  signRequest,
} from './host-requests.ts';

/** Milliseconds without data from the host; far more than a state transition takes. */
const SILENCE_MS = 60_000;
const KEEP_ALIVE_MS = 10_000;

interface RequestOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
}

export interface HostAddress {
  readonly id: string;
  readonly url: string;
}

export class RemoteOperator {
  readonly #host: HostAddress;
  readonly #signer: Signer;

  constructor(host: HostAddress, signer: Signer) {
    this.#host = host;
    this.#signer = signer;
  }

  start(target: Target, start: StartRequest, emit?: Emit): Promise<void> {
    return this.#ask('start', { target, start }, emit);
  }

  pause(target: Target, pauseReason: PauseReason, emit?: Emit): Promise<void> {
    return this.#ask('pause', { target, pauseReason }, emit);
  }

  resume(target: Target, emit?: Emit): Promise<void> {
    return this.#ask('resume', { target }, emit);
  }

  reset(target: Target, emit?: Emit): Promise<void> {
    return this.#ask('reset', { target }, emit);
  }

  end(target: Target, endReason: string, sandboxId?: string): Promise<void> {
    return this.#ask('end', { target, endReason, sandboxId });
  }

  delete(target: Target): Promise<void> {
    return this.#ask('delete', { target });
  }

  takeWorkspace(target: Target, fromRuntimeId: string): Promise<void> {
    return this.#ask('take-workspace', { target, fromRuntimeId });
  }

  setCapabilities(target: Target): Promise<void> {
    return this.#ask('capabilities', { target });
  }

  /** Both outputs must be read: they share one connection, and an unread one blocks the other. */
  async exec(target: Target, command: Command): Promise<Execution> {
    const body = toBody({ target, command: toPlain(command) });
    const request = this.#open('exec', body);
    try {
      // Subscribed before anything is sent, so that an error in between is reported once.
      const [response] = await Promise.all([responseOf(request), sendFrame(request, FRAMES.command, body)]);
      const frames = readFrames(response);
      const first = await frames.next().catch(unreachable);
      if (first.done) throw unreachable();
      if (first.value.type === FRAMES.error) throw fromErrorResponse(readError(first.value.payload));
      return toExecution(request, frames);
    } catch (error) {
      // The request body is still open and would keep the connection open.
      request.destroy();
      throw error;
    }
  }

  async openTerminal(target: Target, { command, ...request }: TerminalRequest): Promise<TerminalLink> {
    const terminal = { ...request, command: toPlain(command) };
    const connection = await this.#upgrade('terminal', { target, terminal });
    try {
      return await openLink(connection);
    } catch (error) {
      connection.destroy();
      return unreachable(error);
    }
  }

  checkTerminal(target: Target, { command, ...request }: TerminalRequest): Promise<void> {
    return this.#ask('terminal-check', { target, terminal: { ...request, command: toPlain(command) } });
  }

  /** Upgrades the connection to the host to a connection into the sandbox; only that host's process is in between. */
  connect(target: Target, port: number): Promise<Duplex> {
    return this.#upgrade('connect', { target, port });
  }

  /** Upgrades a connection for exclusive use by the operation. */
  async #upgrade(verb: HostVerb, content: HostRequest): Promise<Duplex> {
    const body = toBody(content);
    const request = this.#open(verb, body, {
      method: 'GET',
      headers: { connection: 'Upgrade', upgrade: verb, [REQUEST_HEADER]: body.toString('base64url') },
    });
    const { promise, resolve } = Promise.withResolvers<Duplex>();
    request.once('upgrade', (_response, socket: Socket, head) => {
      request.setTimeout(0);
      socket.on('error', () => undefined); // The user of the socket handles its close event.
      socket.setNoDelay(true);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('silence')));
    request.end();
    const refused = responseOf(request).then(async (response) => {
      throw fromErrorResponse(readError(await buffer(response).catch(unreachable)));
    });
    return await Promise.race([promise, refused]);
  }

  async #ask(verb: HostVerb, content: HostRequest, emit?: Emit): Promise<void> {
    const body = toBody(content);
    const request = this.#open(verb, body).setTimeout(SILENCE_MS, () =>
      request.destroy(new Error('silence')),
    );
    request.end(body);
    const lines = readLines(await responseOf(request));
    for (;;) {
      const line = await lines.next().catch(unreachable);
      if (line.done) throw unreachable();
      const { step, done, error } = line.value;
      if (step) emit?.(step);
      if (error) throw fromErrorResponse(error);
      if (done) return;
    }
  }

  /** Opens a new connection: a pooled one may belong to a process that is gone. */
  #open(verb: HostVerb, body: Buffer, more: RequestOptions = {}): ClientRequest {
    const { id, url } = this.#host;
    const address = new URL(`${INTERNAL_PREFIX}/${id}/${verb}`, url);
    const token = signRequest(this.#signer, id, verb, body);
    const send = address.protocol === 'https:' ? requestHttps : requestHttp;
    const request = send(address, {
      method: 'POST',
      agent: false,
      ...more,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/octet-stream',
        ...more.headers,
      },
    });
    request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
    return request;
  }
}

const toPlain = ({ argv: [program, ...rest], cwd, environment }: Command) => ({
  argv: [program, ...rest] as [string, ...string[]],
  cwd,
  environment: { ...environment },
});

const toBody = (content: HostRequest) => Buffer.from(JSON.stringify(content));

/** Throws when the response is cut off: a complete one ends with a final line. */
async function* readLines(response: IncomingMessage): AsyncGenerator<HostResponse> {
  for await (const line of createInterface({ input: response })) yield HostResponse.parse(JSON.parse(line));
}

const readError = (payload: Buffer) => {
  const { error } = HostResponse.parse(JSON.parse(payload.toString()));
  if (!error) throw unreachable();
  return error;
};

function unreachable(cause?: unknown): never {
  throw new ApiError(
    'sandbox_provider_error',
    'The host of this runtime cannot be reached at this moment; try again in a few seconds.',
    { cause },
  );
}

/** Resolves with the start of the response; an error response is thrown as the original error. */
async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', resolve).on('error', reject);
  const response = await promise.catch(unreachable);
  if (response.statusCode === 200) return response;
  const refusal = await json(response).then(ErrorResponse.parse).catch(unreachable);
  if (refusal.type === 'sandbox_provider_error') throw fromErrorResponse(refusal);
  if (refusal.code !== 401) throw unreachable(refusal);
  throw new ApiError(
    'sandbox_provider_error',
    `The host of this runtime does not trust this process: all have to share DRYDOCK_SECRET_KEY, and the time. ${refusal.detail}`,
  );
}

type Frames = AsyncGenerator<{ readonly type: number; readonly payload: Buffer }>;

/** Presents the remote command as if it ran locally. */
function toExecution(request: ClientRequest, frames: Frames): Execution {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const killed = new AbortController();
  const exit = takeOutput(frames, { stdout, stderr }, killed.signal).finally(() => request.destroy());
  const kill = () => {
    killed.abort();
    request.destroy();
  };
  return { stdin: toInput(request), stdout, stderr, exit, kill };
}

function toInput(request: ClientRequest): Writable {
  const send = callbackify((chunk: Buffer) => sendPieces(request, FRAMES.stdin, chunk));
  const end = callbackify(async () => {
    await sendFrame(request, FRAMES.stdinEnd);
    request.end();
  });
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => send(chunk, done),
    final: (done) => end(done),
  });
  // Errors of stdin are ignored, because the end of the command is reported.
  return stdin.on('error', () => undefined);
}

/** Never rejects: losing the host ends both outputs with an error; a command killed by this process just ends them. */
async function takeOutput(
  frames: Frames,
  { stdout, stderr }: { readonly stdout: PassThrough; readonly stderr: PassThrough },
  killed: AbortSignal,
): Promise<Exit> {
  let cause: unknown;
  try {
    for await (const { type, payload } of frames) {
      if (type === FRAMES.stdout) await pour(stdout, Buffer.from(payload));
      else if (type === FRAMES.stderr) await pour(stderr, Buffer.from(payload));
      else if (type === FRAMES.exit) {
        for (const stream of [stdout, stderr]) stream.end();
        return JSON.parse(payload.toString()) as Exit;
      }
    }
  } catch (error) {
    cause = error;
  }
  const lost = new ApiError('sandbox_provider_error', 'The host of this runtime was lost.', { cause });
  for (const stream of [stdout, stderr]) {
    if (killed.aborted) stream.end();
    else stream.on('error', () => undefined).destroy(lost);
  }
  return { code: KILLED };
}

const KILLED = 137;
