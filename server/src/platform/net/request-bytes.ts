/** A request in HTTP/1.1 in one piece. */
import { OutboundError } from './outbound-error.ts';
import type { OutboundRequest } from './outbound-request.ts';
import { partsOf } from './url-parts.ts';

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** How a request is sent is decided here. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/** A text where each character is a byte: to make bytes of it here would take longer than to leave that to the socket. */
export type RequestBytes = Buffer | string;

/** @throws {OutboundError} `refused` for what cannot be sent */
export function toRequestBytes({ url, method, headers, body }: OutboundRequest): RequestBytes {
  if (!NAME.test(method)) throw unsendable();
  const { path, host } = partsOf(url);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${linesOf(headers)}`;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (length > 0 || !WITHOUT_BODY.has(method)) head += `content-length: ${length}\r\n`;
  head += '\r\n';
  if (body === undefined) return head;
  // In UTF-8 only what is ASCII takes one byte.
  if (typeof body === 'string' && body.length === length) return head + body;
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 'latin1');
  if (typeof body === 'string') bytes.write(body, head.length);
  else bytes.set(body, head.length);
  return bytes;
}

/** Of headers that cannot change: they are sent again and again. */
const known = new WeakMap<OutboundRequest['headers'], string>();

function linesOf(headers: OutboundRequest['headers']): string {
  const before = known.get(headers);
  if (before !== undefined) return before;
  const made = toLines(headers);
  if (Object.isFrozen(headers)) known.set(headers, made);
  return made;
}

function toLines(headers: OutboundRequest['headers']): string {
  let lines = 'accept-encoding' in headers ? '' : 'accept-encoding: identity\r\n';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!NAME.test(name) || !VALUE.test(value) || OURS.has(name.toLowerCase())) throw unsendable();
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

const unsendable = () => new OutboundError('refused', 'The request cannot be sent as it is.');
