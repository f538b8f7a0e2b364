/** Converts errors to S3's XML, even when there is no request to reply to. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ConditionFailed, NoSuchUpload } from '../../../platform/object-storage/embedded/stored-object.ts';
import { findStorageLimit } from '../../../platform/storage-limits/storage-limit-error.ts';
import { uuidv7 } from '../../../platform/uuid.ts';
import { S3Error } from '../s3-error.ts';
import { DECLARATION, element, textElement } from '../xml/xml.ts';
import { preconditionFailed } from './conditions.ts';

/** Prevents browsers from running or displaying user content in our origin. */
export const ALWAYS = { 'content-security-policy': 'sandbox', 'x-content-type-options': 'nosniff' };

export function toErrorXml({ code, message, details }: S3Error, requestId: string): string {
  const more = Object.entries(details).map(([name, value]) => textElement(name, value));
  return (
    DECLARATION +
    element('Error', [
      textElement('Code', code),
      textElement('Message', message),
      ...more,
      textElement('RequestId', requestId),
    ])
  );
}

/** @returns undefined for an internal error, of which the caller learns no details */
export function findS3Error(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error;
  if (error instanceof ConditionFailed) return preconditionFailed();
  if (error instanceof NoSuchUpload) return noSuchUpload();
  const limit = findStorageLimit(error);
  if (limit) return new S3Error('QuotaExceeded', limit.message);
  return undefined;
}

export const noSuchUpload = () =>
  new S3Error('NoSuchUpload', 'There is no such upload for this key. It may have been completed or aborted.');

const CONNECTION_LOST = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
]);

/** Tells whether the client disconnected during its request or response: no response is sent, and this is not a server error. */
export function isConnectionLost(error: unknown): boolean {
  return CONNECTION_LOST.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Node's parser failed before there was a request. */
export function toParserError({ code }: NodeJS.ErrnoException): S3Error {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new S3Error('RequestHeaderSectionTooLarge', 'The headers of the request are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  return new S3Error('BadRequest', 'The request is not valid HTTP.');
}

export const requestTimeout = () =>
  new S3Error('RequestTimeout', 'The connection was idle for too long. Send the request again.');

/** Writes the response to a socket that no request uses. */
export function respondOnSocket(socket: Duplex, error: S3Error): void {
  socket.on('error', () => undefined); // The client may have disconnected already.
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = uuidv7();
  const body = toErrorXml(error, id);
  const response = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/xml',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-amz-request-id: ${id}`,
    ...Object.entries(ALWAYS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    '',
    body,
  ];
  socket.end(response.join('\r\n'), () => socket.destroy());
}
