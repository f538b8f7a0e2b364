/** Why a request to another server got no answer. */
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

const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

/** @param wasConnected whether there was a connection: what breaks it is no lack of one, and what was asked may have been heard */
export function toOutboundError(error: unknown, wasConnected = false): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (failure: OutboundFailure, message: string) =>
    new OutboundError(failure, message, { cause: error });
  if (BROKEN.has(code)) return fail('broken', 'The connection broke off.');
  if (code === 'ENOTFOUND') return fail('untrusted', 'There is no such host (ENOTFOUND).');
  if (/^(Z_|ERR_|ERROR_)/.test(code) && !/^ERR_(TLS|SSL)/.test(code))
    return fail('garbage', `What it answered cannot be read (${code}).`);
  if (/CERT|TLS|SSL|SIGNED|VERIFY|EPROTO/.test(code))
    return fail('untrusted', `No trusted connection could be made (${code}).`);
  const why = code && ` (${code})`;
  return wasConnected
    ? fail('broken', `The connection broke off${why}.`)
    : fail('unreachable', `No connection could be made${why}.`);
}
