/**
 * Why a request to another server failed:
 *
 * - `refused`: we do not connect there, or cannot send this; nothing was sent
 * - `unreachable`: no connection, maybe for a moment only
 * - `untrusted`: no connection, and another try would not help: no such name, a wrong certificate
 * - `broken`: the connection broke, either at once or within the response
 * - `lost`: the connection broke after a while, or within the head of the response: the server may have done the work
 * - `timeout`: it was too slow
 * - `garbage`: the response is not valid HTTP
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

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']);

/** @param wasConnected whether there was a connection, so that the server may have received the request */
export function toOutboundError(error: unknown, wasConnected = false): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (failure: OutboundFailure, message: string) =>
    new OutboundError(failure, message, { cause: error });
  if (BROKEN.has(code)) return fail('broken', 'The connection broke off.');
  if (code === 'ENOTFOUND') return fail('untrusted', 'There is no such host (ENOTFOUND).');
  if (/^(Z_|ERR_|ERROR_|HPE_)/.test(code) && !/^ERR_(TLS|SSL)/.test(code))
    return fail('garbage', `Its response is not valid HTTP (${code}).`);
  if (/CERT|TLS|SSL|SIGNED|VERIFY|EPROTO/.test(code))
    return fail('untrusted', `No trusted connection could be made (${code}).`);
  const why = code && ` (${code})`;
  return wasConnected
    ? fail('broken', `The connection broke off${why}.`)
    : fail('unreachable', `No connection could be made${why}.`);
}
