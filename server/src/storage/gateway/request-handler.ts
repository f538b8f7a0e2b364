/** Handles a request: authentication, authorization, operation, response and log entry. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Log } from '../../platform/log.ts';
import type { EmbeddedStore } from '../../platform/object-storage/embedded/embedded-store.ts';
import type { Sessions } from '../../platform/object-storage/embedded/sessions.ts';
import { Authenticator, type RequestHead } from './authentication/authenticate.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { findS3Error, isConnectionLost } from './http/error-responses.ts';
import { accessDenied, Exchange } from './http/exchange.ts';
import { isHeaderValue, refuseForeignFeatures } from './http/object-headers.ts';
import type { Reply } from './http/reply.ts';
import { type Target, toRawTarget, toTarget } from './http/request-target.ts';
import { getOperation, type OperationName } from './http/routing.ts';
import { OPERATIONS } from './operations/operations.ts';
import { S3Error } from './s3-error.ts';

/** A request before any checks, including authentication. */
export interface ServiceRequest {
  readonly request: IncomingMessage;
  readonly reply: Reply;
  readonly head: RequestHead;
}

export type ServiceHandler = (request: ServiceRequest) => Promise<void>;

interface HandlerOptions {
  readonly store: EmbeddedStore;
  readonly sessions: Sessions;
  readonly bucket: string;
  readonly region: string;
  readonly log: Log;
  readonly metrics: GatewayMetrics | undefined;
  readonly handleService?: ServiceHandler | undefined;
}

const METHODS = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE']);

export class RequestHandler {
  private readonly options: HandlerOptions;
  private readonly authenticator: Authenticator;

  constructor(options: HandlerOptions) {
    this.options = options;
    this.authenticator = new Authenticator(options);
  }

  /** Never rejects. */
  async handle(request: IncomingMessage, reply: Reply): Promise<void> {
    const { log, metrics } = this.options;
    const { id, response } = reply;
    const startedAt = performance.now();
    const note: { operation: string | undefined } = { operation: undefined };
    metrics?.begin(response);
    response.on('close', () => {
      const { operation } = note;
      const milliseconds = performance.now() - startedAt;
      const status = response.headersSent ? response.statusCode : undefined;
      metrics?.record(operation, status, milliseconds / 1_000);
      const duration_ms = Math.round(milliseconds * 10) / 10;
      log.info(
        { reqId: id, operation: operation ?? null, status: status ?? null, duration_ms },
        's3 request',
      );
    });
    try {
      await this.respond(request, reply, note);
    } catch (error) {
      this.fail(reply, error);
    }
  }

  private async respond(
    request: IncomingMessage,
    reply: Reply,
    note: { operation: string | undefined },
  ): Promise<void> {
    const { handleService, bucket, region, store } = this.options;
    const method = request.method ?? '';
    if (method === 'OPTIONS')
      throw new S3Error('AccessForbidden', 'Requests from browsers of other origins are not allowed.');
    if (!METHODS.has(method)) throw new S3Error('MethodNotAllowed', 'This method is not supported here.');
    const raw = toRawTarget(request.url ?? '');
    const head = { method, ...raw, rawHeaders: request.rawHeaders };
    if (handleService && method === 'POST' && raw.rawPath === '/')
      return handleService({ request, reply, head });
    // Comes before any other check: an unauthenticated caller learns nothing.
    const authenticated = this.authenticator.authenticate(head);
    const target = toTarget(raw);
    const headers = withHoisted(request.headers, target.query);
    const isCopy = headers['x-amz-copy-source'] !== undefined;
    // Node joins repeated headers, which would name another object.
    if (isCopy && (request.headersDistinct['x-amz-copy-source']?.length ?? 0) > 1)
      throw new S3Error('InvalidURI', 'A copy must have exactly one source.');
    const operation = getOperation({ method, target, isCopy });
    note.operation = operation;
    this.checkBucket(target, operation);
    const { admit, run } = OPERATIONS[operation];
    const exchange = new Exchange({ request, reply, target, headers, authenticated, bucket, region, store });
    admit(exchange);
    refuseForeignFeatures(headers);
    await run(exchange);
  }

  private checkBucket({ bucket }: Target, operation: OperationName): void {
    if (bucket === undefined || bucket === this.options.bucket) return;
    if (operation === 'CreateBucket') throw accessDenied();
    throw new S3Error('NoSuchBucket', 'There is no such bucket.');
  }

  private fail(reply: Reply, error: unknown): void {
    const known = findS3Error(error);
    if (!known && !(reply.isGone && isConnectionLost(error)))
      this.options.log.error({ err: error, reqId: reply.id }, 's3 request failed');
    reply.fail(known ?? new S3Error('InternalError', 'An internal error occurred. Try again.'));
  }
}

/**
 * Parameters of the signature in a presigned URL; all other parameters with that prefix stand for headers. Checksums among them are not
 * verified: one SDK signs that of an empty body into every upload link.
 */
const OF_THE_SIGNATURE = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-expires',
  'x-amz-signedheaders',
  'x-amz-signature',
  'x-amz-security-token',
  'x-amz-content-sha256',
]);

/** The token grammar of HTTP. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

function withHoisted(headers: IncomingHttpHeaders, query: ReadonlyMap<string, string>): IncomingHttpHeaders {
  let all: IncomingHttpHeaders | undefined;
  for (const [given, value] of query) {
    if (!given.startsWith('X-Amz-') && !given.startsWith('x-amz-')) continue;
    const name = given.toLowerCase();
    if (OF_THE_SIGNATURE.has(name)) continue;
    const text = toHeaderText(value);
    if (!HEADER_NAME.test(name) || !isHeaderValue(text))
      throw new S3Error(
        'InvalidArgument',
        'A query parameter that stands for a header has an invalid name or value.',
        {
          ArgumentName: given,
        },
      );
    all ??= { ...headers };
    if (all[name] !== undefined)
      throw new S3Error('InvalidArgument', 'A header is also given in the query.', { ArgumentName: name });
    all[name] = text;
  }
  return all ?? headers;
}

/** Returns one character per byte, as in header strings. */
const toHeaderText = (text: string) => Buffer.from(text).toString('latin1');
