/**
 * Internal routes through which other processes of the platform use the sandboxes of this host. They are neither part of the API nor
 * documented.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Signer } from '../../platform/auth/signing.ts';
import { ApiError } from '../../platform/errors.ts';
import { leaveBodies } from '../../platform/http/requests/uploads.ts';
import type { LocalOperator } from '../lifecycle/local-operator.ts';
import type { Emit } from '../operator.ts';
import { hostAway } from '../transitions.ts';
import { FRAMES, type Frame, pour, readFrames, sendAll, sendFrame } from './frames.ts';
import {
  HostRequest,
  type HostResponse,
  INTERNAL_PREFIX,
  REQUEST_HEADER,
  requireSigned,
  toErrorResponse,
} from './host-requests.ts';
import { takeOver } from './taken-connections.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Heartbeat interval: the caller considers this process dead after a minute of silence. */
const SIGN_OF_LIFE_MS = 15_000;
/** Time for the caller to read the last frame. */
const LEAVING_MS = 60_000;

/** The host of this process, if it is one. */
export interface OwnHost {
  readonly hostId: string | undefined;
  readonly local: LocalOperator | undefined;
}

const NO_HOST: OwnHost = { hostId: undefined, local: undefined };

interface Routed {
  Params: { host: string; verb: string };
}

export function serveHost(app: FastifyInstance, signer: Signer, host: OwnHost = NO_HOST): void {
  app.register((internal, _options, done) => {
    leaveBodies(internal);
    const url = `${INTERNAL_PREFIX}/:host/:verb`;
    // The input of a command has no time limit.
    const config = { upload: { contentTypes: {}, maxBytes: Number.MAX_SAFE_INTEGER } };
    internal.post<Routed>(url, { schema: { hide: true }, config }, async (request, reply) => {
      const { verb } = request.params;
      if (verb === 'exec') await handleExec(request, reply, signer, host);
      else await handleChange(request, reply, signer, host);
    });
    internal.get<Routed>(url, { schema: { hide: true } }, (request, reply) =>
      handleUpgrade(request, reply, signer, host),
    );
    app.upgrades.add(url);
    done();
  });
}

function requireOwn({ hostId, local }: OwnHost, wanted: string): LocalOperator {
  if (wanted !== hostId) {
    throw new ApiError(
      'sandbox_provider_error',
      'The address of a host leads to another process: DRYDOCK_HOST_URL must name the process itself, not a load balancer.',
    );
  }
  if (!local) throw hostAway();
  return local;
}

const tokenOf = ({ headers }: FastifyRequest<Routed>) =>
  /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];

/** @returns a function that takes the body when it has arrived and returns the operator and the request */
function admit(request: FastifyRequest<Routed>, signer: Signer, host: OwnHost) {
  const { host: hostId, verb } = request.params;
  const requireBody = requireSigned(signer, tokenOf(request), { hostId, verb });
  return (body: Buffer) => {
    requireBody(body);
    return { local: requireOwn(host, hostId), forwarded: HostRequest.parse(JSON.parse(body.toString())) };
  };
}

async function handleChange(
  request: FastifyRequest<Routed>,
  reply: FastifyReply,
  signer: Signer,
  host: OwnHost,
): Promise<void> {
  const accept = admit(request, signer, host);
  const { local, forwarded } = accept(await readBody(request.raw));
  reply.hijack();
  const { raw } = reply;
  raw.on('error', () => undefined).writeHead(200, { 'content-type': 'application/x-ndjson' });
  const say = (line: HostResponse) => pour(raw, Buffer.from(`${JSON.stringify(line)}\n`));
  const signs = setInterval(() => void say({}), SIGN_OF_LIFE_MS);
  try {
    await change(local, request.params.verb, forwarded, (step) => void say({ step }));
    await say({ done: true });
  } catch (error) {
    if (!(error instanceof ApiError)) request.log.error({ err: error }, 'a forwarded request failed');
    await say({ error: toErrorResponse(error, forwarded.target.requestId) });
  } finally {
    clearInterval(signs);
  }
  raw.end();
}

function change(local: LocalOperator, verb: string, forwarded: HostRequest, emit: Emit): Promise<void> {
  const { target, start = {}, pauseReason = 'user', endReason = '', sandboxId } = forwarded;
  if (verb === 'start') return local.start(target, start, emit);
  if (verb === 'pause') return local.pause(target, pauseReason, emit);
  if (verb === 'resume') return local.resume(target, emit);
  if (verb === 'reset') return local.reset(target, emit);
  if (verb === 'end') return local.end(target, endReason, sandboxId);
  if (verb === 'delete') return local.delete(target);
  if (verb === 'terminal-check' && forwarded.terminal) return local.checkTerminal(target, forwarded.terminal);
  if (verb === 'capabilities') return local.setCapabilities(target);
  if (verb === 'take-workspace' && forwarded.fromRuntimeId)
    return local.takeWorkspace(target, forwarded.fromRuntimeId);
  throw new ApiError('not_found_error', `Unknown operation "${verb}".`);
}

async function readBody(from: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of from) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new ApiError('invalid_error', 'The body is too large.');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Streams input and output concurrently with backpressure. The command ends when the caller disconnects. */
async function handleExec(
  request: FastifyRequest<Routed>,
  reply: FastifyReply,
  signer: Signer,
  host: OwnHost,
): Promise<void> {
  const accept = admit(request, signer, host);
  const frames = readFrames(request.raw);
  const first = await frames.next();
  if (first.done || first.value.type !== FRAMES.command)
    throw new ApiError('invalid_error', 'A command has to come first.');
  const { local, forwarded } = accept(Buffer.from(first.value.payload));
  reply.hijack();
  const { raw } = reply;
  raw.on('error', () => undefined).writeHead(200, { 'content-type': 'application/octet-stream' });
  raw.flushHeaders();
  try {
    if (!forwarded.command) throw new ApiError('invalid_error', 'There is no command.');
    const execution = await local.exec(forwarded.target, forwarded.command);
    let hasEnded = false;
    void execution.exit.then(() => (hasEnded = true));
    // Background processes that the command has started must not end with the connection.
    const leave = () => hasEnded || execution.kill();
    raw.once('close', leave);
    if (raw.destroyed) leave(); // The caller disconnected during the start.
    await sendFrame(raw, FRAMES.started);
    takeInput(frames, execution.stdin).catch(leave);
    await Promise.all([
      sendAll(execution.stdout, raw, FRAMES.stdout),
      sendAll(execution.stderr, raw, FRAMES.stderr),
    ]);
    await sendFrame(raw, FRAMES.exit, Buffer.from(JSON.stringify(await execution.exit)));
  } catch (error) {
    const response = { error: toErrorResponse(error, forwarded.target.requestId) };
    await sendFrame(raw, FRAMES.error, Buffer.from(JSON.stringify(response)));
  }
  await untilLeft(raw);
  raw.end();
}

/**
 * The caller closes the connection after it has read the end. If this side closed first, the caller would fail to send its remaining input
 * and lose the unread output.
 */
async function untilLeft(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) return;
  const signal = AbortSignal.timeout(LEAVING_MS);
  await once(raw, 'close', { signal }).catch(() => undefined);
}

async function takeInput(frames: AsyncGenerator<Frame>, stdin: Writable) {
  stdin.on('error', () => undefined); // The command may have ended before it has read everything.
  for await (const { type, payload } of frames) {
    if (type === FRAMES.stdin) await pour(stdin, Buffer.from(payload));
    else if (type === FRAMES.stdinEnd) stdin.end();
  }
}

/** Upgrades the connection of the caller, or returns an error if there is none to make. */
async function handleUpgrade(
  request: FastifyRequest<Routed>,
  reply: FastifyReply,
  signer: Signer,
  host: OwnHost,
): Promise<unknown> {
  const accept = admit(request, signer, host);
  const recheck = () => Promise.resolve();
  const upgrade = request.server.upgrades.find(request.raw, { reply, userId: undefined, recheck });
  const { local, forwarded } = accept(Buffer.from(String(request.headers[REQUEST_HEADER]), 'base64url'));
  if (!upgrade) throw new ApiError('invalid_error', 'This request is not a connection upgrade.');
  try {
    await takeOver(local, request.params.verb, forwarded, upgrade);
    return reply;
  } catch (error) {
    return { error: toErrorResponse(error, forwarded.target.requestId) } satisfies HostResponse;
  }
}
