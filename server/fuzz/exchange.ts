/** Sends one request to the server over a connection of its own and waits for the response. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ParsedResponse, parseResponses } from './parse-responses.ts';
import { encodeRequest, type FuzzRequest, PIPELINED } from './request.ts';

export interface Exchange {
  readonly responses: readonly ParsedResponse[];
  /** Why there are fewer responses than requests. */
  readonly ending: 'answered' | 'closed' | 'reset' | 'hung';
  /** Bytes that are not part of a complete response. */
  readonly leftover: number;
  readonly milliseconds: number;
}

const WAIT_TIMEOUT_MS = 10_000;
const SLOW_PIECES = 20;
const SLOW_PAUSE_MS = 5;

export async function send(origin: URL, request: FuzzRequest): Promise<Exchange> {
  const started = performance.now();
  const socket = connect({ host: origin.hostname, port: Number(origin.port || 80) });
  try {
    const reading = read(socket, request);
    await write(socket, request);
    const { responses, ending, leftover } = await reading;
    return { responses, ending, leftover, milliseconds: performance.now() - started };
  } finally {
    socket.destroy();
  }
}

function read(socket: Socket, { method, delivery }: FuzzRequest): Promise<Omit<Exchange, 'milliseconds'>> {
  const wanted = delivery === 'pipelined' ? PIPELINED : 1;
  const chunks: Buffer[] = [];
  const parsed = (isClosed: boolean) => parseResponses(Buffer.concat(chunks), method, isClosed);
  // Nothing follows a stream that stays open.
  const isAll = (responses: readonly ParsedResponse[]) =>
    responses.length >= wanted || responses.at(-1)?.isWhole === false;
  const ended = new Promise<Exchange['ending']>((resolve, reject) => {
    const late = setTimeout(() => resolve('hung'), WAIT_TIMEOUT_MS);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      try {
        if (isAll(parsed(false).responses)) resolve('answered');
      } catch (error) {
        reject(error);
      }
    });
    socket.once('end', () => resolve('closed'));
    socket.once('error', () => resolve('reset'));
    socket.once('close', () => {
      clearTimeout(late);
      resolve('closed');
    });
  });
  return ended.then((ending) => {
    const { responses, rest } = parsed(ending !== 'hung');
    return { responses, ending: isAll(responses) ? 'answered' : ending, leftover: rest.length };
  });
}

async function write(socket: Socket, request: FuzzRequest): Promise<void> {
  const bytes = encodeRequest(request);
  const cutAt = Math.floor(bytes.length * request.cutAt);
  switch (request.delivery) {
    case 'abandoned':
      socket.write(bytes.subarray(0, cutAt));
      await sleep(SLOW_PAUSE_MS);
      socket.destroy();
      return;
    case 'cut':
      socket.end(bytes.subarray(0, cutAt));
      return;
    case 'slow':
      return writeSlowly(socket, bytes);
    case 'pipelined': {
      const open = { ...request, headers: request.headers.filter(([name]) => name !== 'Connection') };
      const first = encodeRequest(open);
      socket.write(Buffer.concat([...Array.from({ length: PIPELINED - 1 }, () => first), bytes]));
      return;
    }
    default:
      // A request without a proper end is ended by the connection.
      if (request.isMalframed) socket.end(bytes);
      else socket.write(bytes);
  }
}

async function writeSlowly(socket: Socket, bytes: Buffer): Promise<void> {
  const size = Math.max(1, Math.ceil(bytes.length / SLOW_PIECES));
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await sleep(SLOW_PAUSE_MS);
  }
}
