/** Why a request to another server got no answer. */
import { errors } from 'undici';

/**
 * - `refused`: we do not connect there, or cannot send this; nothing was sent
 * - `unreachable`: no connection, maybe for a moment only
 * - `untrusted`: no connection, and another try would not help: no such name, a wrong certificate
 * - `broken`: the connection broke off, either at once or within the answer
 * - `lost`: the connection broke off after a while without an answer: what was asked may have been done
 * - `timeout`: it was too slow
 * - `garbage`: what came back is not HTTP
 */
export type OutboundFailure =
  | 'refused'
  | 'unreachable'
  | 'untrusted'
  | 'broken'
  | 'lost'
  | 'timeout'
  | 'garbage';

export class OutboundError extends Error {
  readonly failure: OutboundFailure;

  /** @param message for people, without anything that was sent */
  constructor(failure: OutboundFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_DESTROYED',
  'UND_ERR_SOCKET',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
]);
const UNSENDABLE = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);
const UNREACHABLE = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** It was undici that broke off, since it takes no 100 and no 101: the other side has begun with what was asked. */
export const isBadHead = (error: unknown, ...messages: ('bad response' | 'bad upgrade')[]) =>
  error instanceof errors.SocketError && messages.some((message) => message === error.message);

export function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (failure: OutboundFailure, message: string) =>
    new OutboundError(failure, message, { cause: error });
  if (isBadHead(error, 'bad response'))
    return fail('garbage', 'It answered with a status that it was not asked for.');
  if (BROKEN.has(code)) return fail('broken', 'The connection broke off.');
  if (UNREACHABLE.has(code)) return fail('unreachable', `No connection could be made (${code}).`);
  // A header that cannot be sent, for one.
  if (UNSENDABLE.has(code)) return fail('refused', 'The request cannot be sent as it is.');
  if (code === 'ENOTFOUND') return fail('untrusted', 'There is no such host (ENOTFOUND).');
  if (error instanceof errors.HTTPParserError) return fail('garbage', 'What it answered is no HTTP.');
  if (/^(Z_|ERR_|ERROR_|UND_ERR_HEADERS_)/.test(code) && !/^ERR_(TLS|SSL)/.test(code))
    return fail('garbage', `What it answered cannot be read (${code}).`);
  if (/CERT|TLS|SSL|SIGNED|VERIFY|EPROTO/.test(code))
    return fail('untrusted', `No trusted connection could be made (${code}).`);
  return fail('unreachable', `No connection could be made${code && ` (${code})`}.`);
}
