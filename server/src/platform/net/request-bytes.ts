/** A request in HTTP/1.1 as one piece of bytes. */
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

/** @throws {OutboundError} `refused` for what cannot be sent */
export function toRequestBytes({ url, method, headers, body }: OutboundRequest): Buffer {
  if (!NAME.test(method)) throw unsendable();
  const { path, host } = partsOf(url);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  if (!('accept-encoding' in headers)) head += 'accept-encoding: identity\r\n';
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (!NAME.test(name) || !VALUE.test(value) || OURS.has(name.toLowerCase())) throw unsendable();
    head += `${name}: ${value}\r\n`;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (length > 0 || !WITHOUT_BODY.has(method)) head += `content-length: ${length}\r\n`;
  head += '\r\n';
  const bytes = Buffer.allocUnsafe(head.length + length);
  bytes.write(head, 'latin1');
  if (typeof body === 'string') bytes.write(body, head.length);
  else if (body) bytes.set(body, head.length);
  return bytes;
}

const unsendable = () => new OutboundError('refused', 'The request cannot be sent as it is.');
