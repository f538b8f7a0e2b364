/** Converts all errors to the error envelope. The only place where errors become responses. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isConnectionLost, isDatabaseAway } from '../../db/lost-connection.ts';
import { ApiError, ERROR_STATUSES, type ErrorType, STATUS_BY_TYPE, withHeaders } from '../../errors.ts';
import { findStorageLimit } from '../../storage-limits/storage-limit-error.ts';
import { uuidv7 } from '../../uuid.ts';

const ErrorItem = z
  .object({
    loc: z
      .array(z.union([z.string(), z.int()]))
      .describe('Where it failed, starting with body, query, path or header'),
    msg: z.string(),
    type: z.string().describe('Machine-readable validation error type'),
  })
  .meta({ id: 'ValidationErrorItem' });

export const ErrorResponse = z
  .object({
    code: z.union(ERROR_STATUSES.map((status) => z.literal(status))).describe('The HTTP status'),
    detail: z.string().describe('Human-readable message'),
    type: z.enum(Object.keys(STATUS_BY_TYPE) as [ErrorType, ...ErrorType[]]),
    errors: z.array(ErrorItem).nullish(),
  })
  .meta({ id: 'ErrorResponse' });

export type ErrorEnvelope = z.output<typeof ErrorResponse>;

/** Body of an error response: the envelope, or the form of another API. */
export type ErrorBody = Omit<ErrorEnvelope, 'type'> & { readonly type: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isRetriedOn429?: true;
  }
}

export function sendErrorResponses(app: FastifyInstance): void {
  app.setErrorHandler(sendError);
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const response = toResponse(error, request);
  if (response.status === 500) request.log.error({ err: error }, 'request failed');
  for (const [name, value] of Object.entries(response.headers)) reply.header(name, value);
  if (response.status === 401) reply.header('www-authenticate', 'Bearer');
  const body = `${JSON.stringify(toBody(response, request))}\n`;
  return reply.code(response.status).type('application/json; charset=utf-8').send(body);
}

function toResponse(error: unknown, request: FastifyRequest): ApiError {
  if (hasLeft(request) && isAbort(error)) return requestAborted(error);
  const response = isTooLarge(error)
    ? withHeaders(bodyTooLarge(request.routeOptions.bodyLimit), { connection: 'close' })
    : toApiError(error);
  const isRetried = response.type === 'database_error' && request.routeOptions.config.isRetriedOn429 === true;
  return isRetried ? databaseRestarts(error) : response;
}

/** OTLP exporters retry spans after a 429, and drop them after a 500. A database restart takes a second; other failures take longer. */
function databaseRestarts(cause: unknown): ApiError {
  const seconds = isConnectionLost(cause) ? 1 : 30;
  const detail = `The database cannot be used now. Send the same again in ${seconds} s.`;
  return new ApiError('usage_limit_exceeded_error', detail, {
    cause,
    headers: { 'retry-after': String(seconds) },
  });
}

/** Converts an error after the response has begun, when it can no longer change the status. */
export function toErrorBody(error: unknown, request: FastifyRequest): ErrorBody {
  return toBody(toApiError(error), request);
}

/** Converts an error for another process of this platform, which reports it. */
export function toErrorEnvelope(error: unknown, requestId: string): ErrorEnvelope {
  return toEnvelope(toApiError(error), requestId);
}

function toBody(error: ApiError, request: FastifyRequest): ErrorBody {
  const envelope = toEnvelope(error, request.id);
  return request.server.errorForms.find(request)?.extend(envelope, error) ?? envelope;
}

/** A 500 only contains the id under which its cause was logged. */
function toEnvelope(error: ApiError, requestId: string): ErrorEnvelope {
  const isInternal = error.status === 500;
  const detail = isInternal
    ? `Something went wrong on our side. Give this id when you report it: ${requestId}`
    : error.message;
  return {
    code: error.status,
    detail,
    type: error.type,
    ...(error.issues && { errors: error.issues.map((issue) => ({ ...issue, loc: [...issue.loc] })) }),
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isRequestAborted(error)) return requestAborted(error);
  const limit = findStorageLimit(error);
  if (limit) return limit;
  if (isDatabaseAway(error))
    return new ApiError('database_error', 'The database cannot be reached.', { cause: error });
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ApiError('invalid_error', 'This content type is not supported here; send application/json.');
  }
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new ApiError('invalid_error', (error as Error).message, { cause: error });
  }
  return new ApiError('server_error', 'bug', { cause: error });
}

const isTooLarge = (error: unknown) => (error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

export function bodyTooLarge(maxBytes: number): ApiError {
  let [size, unit] = [maxBytes, 0];
  while (size >= 1024 && size % 1024 === 0 && unit < UNITS.length - 1) [size, unit] = [size / 1024, unit + 1];
  const detail = `The body is over ${size} ${UNITS[unit]}, which is the most that this operation takes.`;
  return new ApiError('invalid_error', detail);
}

/** True when the client disconnected in the middle of its body: nobody reads the response, and nothing failed here. */
function isRequestAborted(error: unknown): boolean {
  return (
    error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET'
  );
}

const requestAborted = (cause: unknown) =>
  new ApiError('invalid_error', 'The request was aborted.', { cause });

const hasLeft = ({ raw }: FastifyRequest) => raw.socket.destroyed;

const MAX_CAUSES = 5;

/** True for aborted work; wrapping errors name the abort as their cause. */
function isAbort(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > MAX_CAUSES) return false;
  return error.name === 'AbortError' || isAbort(error.cause, depth + 1);
}

const LATE = 'The request took too long to arrive.';

/** Refuses a request whose body is still arriving, so that no other response can follow on its connection. */
export function respondLate(request: FastifyRequest): void {
  const { socket } = request.raw as { socket: Socket | null };
  respondOnSocket(socket, LATE, toBody(new ApiError('invalid_error', LATE), request));
}

/** Refuses a request before Fastify has a reply for it. */
export function rejectUnmetExpectations(
  app: FastifyInstance,
  socket: Duplex | null,
  url: string,
  detail: string,
): void {
  const error = new ApiError('invalid_error', detail);
  const envelope = toEnvelope(error, '');
  respondOnSocket(socket, detail, app.errorForms.findAt(url)?.extend(envelope, error) ?? envelope);
}

/** Responds when Node's parser failed before there was a request. */
export function respondToParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else if (error.code === 'HPE_HEADER_OVERFLOW')
    respondOnSocket(socket, 'The request headers are too large.');
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') respondOnSocket(socket, LATE);
  else respondOnSocket(socket, 'The request is not valid HTTP.');
}

/** Writes the response directly to a socket that has no request. */
export function respondOnSocket(
  socket: Duplex | null,
  detail: string,
  envelope: ErrorBody = { code: 400, detail, type: 'invalid_error' },
): void {
  socket?.on('error', () => undefined); // the other side may have disconnected
  if (!socket?.writable) {
    socket?.destroy();
    return;
  }
  const body = `${JSON.stringify(envelope)}\n`;
  const response = [
    `HTTP/1.1 400 ${STATUS_CODES[400]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${uuidv7()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ];
  socket.end(response.join('\r\n'), () => socket.destroy());
}
