/** A request down to its bytes, and the way it is sent to the server. */
import type { Operation } from './document.ts';

/**
 * `whole` at once; `chunked` as a chunked body; `slow` in small chunks; `pipelined` three times on one connection; `cut` ends in the
 * middle; `abandoned` is left in the middle without waiting for a response.
 */
export type Delivery = 'whole' | 'chunked' | 'slow' | 'pipelined' | 'cut' | 'abandoned';

export const PIPELINED = 3;

export interface FuzzRequest {
  readonly operation: Operation;
  method: string;
  /** The request target: path and query. */
  target: string;
  headers: (readonly [name: string, value: string])[];
  body: Buffer | undefined;
  delivery: Delivery;
  /** The end of a `cut` or `abandoned` request, as a fraction of its length. */
  cutAt: number;
  /** Whether it carries no valid credential: it must be refused unless the operation is public. */
  isStranger: boolean;
  /** Whether its framing contradicts itself or has no end: the server may close without a response. */
  isMalframed: boolean;
  /** Names of the changes made to it. */
  readonly changes: string[];
}

export function encodeRequest(request: FuzzRequest): Buffer {
  const { method, target, headers, body, delivery } = request;
  const isChunked = delivery === 'chunked' && body !== undefined;
  const framing: [string, string][] = [];
  const has = (name: string) => headers.some(([given]) => given.toLowerCase() === name);
  if (isChunked) framing.push(['Transfer-Encoding', 'chunked']);
  else if (body !== undefined && !has('content-length') && !has('transfer-encoding'))
    framing.push(['Content-Length', String(body.length)]);
  const lines = [...headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  return Buffer.concat([head, isChunked ? toChunks(body) : (body ?? Buffer.alloc(0))]);
}

function toChunks(body: Buffer): Buffer {
  const size = Math.max(1, Math.ceil(body.length / 3));
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}

const SHOWN = 2_000;

/** Describes a request for a person; `--only` sends it again. */
export function describeRequest(request: FuzzRequest): string {
  const { operation, method, target, headers, body, delivery, changes } = request;
  const text = body?.toString('utf8') ?? null;
  const isText = body !== undefined && Buffer.from(text ?? '').equals(body);
  const cut = (long: string) =>
    long.length > SHOWN ? `${long.slice(0, SHOWN)}… (${long.length} in all)` : long;
  return JSON.stringify({
    operation: operation.id,
    method,
    target: cut(target),
    headers: headers.map(([name, value]) => `${name}: ${hideCredential(name, cut(value))}`),
    ...(body && (isText ? { body: cut(text ?? '') } : { body_base64: cut(body.toString('base64')) })),
    delivery,
    changes,
  });
}

const hideCredential = (name: string, value: string) =>
  /^(authorization|x-api-key)$/i.test(name) ? `${value.slice(0, 14)}…` : value;
