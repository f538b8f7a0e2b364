/** The HTTP server without routes: ids, limits, headers, bodies, errors. */
import type { IncomingMessage } from 'node:http';
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { ApiError } from '../errors.ts';
import { type Log, requestLog } from '../log.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { uuidv7 } from '../uuid.ts';
import { KnownRoutes } from './known-routes.ts';
import { delayContinue, limitArrival } from './requests/body-arrival.ts';
import { readJsonBodies } from './requests/json-body.ts';
import { findUpload, outlastBody } from './requests/uploads.ts';
import { ErrorForms } from './responses/error-forms.ts';
import {
  rejectUnmetExpectations,
  respondOnSocket,
  respondToParserError,
  sendError,
  sendErrorResponses,
} from './responses/error-responses.ts';
import { Upgrades } from './upgrades.ts';

export interface ServerOptions {
  readonly log: Log;
  readonly trustedProxies: string | undefined;
  readonly metrics?: RequestMetrics | undefined;
  /** Time limit for a request to arrive, unless it is a large upload. */
  readonly requestTimeoutMs?: number | undefined;
  readonly upgrades?: Upgrades | undefined;
}

const MAX_BODY_BYTES = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;
/** A gibibyte at 300 KB a second. */
const UPLOAD_TIMEOUT_MS = 3_600_000;
/** Longer than the idle timeout of common load balancers, which would otherwise reuse a closing connection. */
const KEEP_ALIVE_MS = 75_000;

const API_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, trustedProxies, metrics, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const { upgrades = new Upgrades() } = options;
  const app = Fastify({
    loggerInstance: log,
    // Requests are logged below with one line each, without the query string, which may contain content.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => uuidv7(),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: UPLOAD_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Requests in progress get their normal responses during shutdown; the API has no 503.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ...(trustedProxies && { trustProxy: trustedProxies }),
    routerOptions: { maxParamLength: 2_048 },
    http: {
      requireHostHeader: false, // Node's own refusal has no envelope; ours follows below
      shouldUpgradeCallback: (request) => upgrades.isMeant(request),
    },
    clientErrorHandler: (error, socket) => respondToParserError(error, socket),
    frameworkErrors: (error, request, reply) => {
      reply.headers({ ...API_HEADERS, 'x-request-id': request.id });
      sendError(error, request, reply);
    },
  });
  // Requests are validated where operations are mounted, all parts at once.
  app.setValidatorCompiler(() => () => true);
  // The newline makes a terminal show its prompt on a line of its own.
  app.setSerializerCompiler((route) => {
    const serialize = serializerCompiler(route as Parameters<typeof serializerCompiler>[0]);
    return (value) => `${serialize(value)}\n`;
  });
  app.decorate('errorForms', new ErrorForms());
  app.decorate('upgrades', upgrades);
  KnownRoutes.collect(app);
  readJsonBodies(app);
  sendErrorResponses(app);

  app.server.on('checkExpectation', ({ url = '' }, response) =>
    rejectUnmetExpectations(app, response.socket, url, 'Only "Expect: 100-continue" is known here.'),
  );
  delayContinue(app);
  upgrades.listen(app);
  app.server.on('connect', (_request, socket) => respondOnSocket(socket, 'This server is no proxy.'));

  app.addHook('onRequest', (request, reply, done) => {
    metrics?.begin();
    // Uses `close` instead of the end of sending: a client may disconnect before it has received everything.
    reply.raw.on('close', () => {
      metrics?.end();
      if (reply.raw.headersSent || upgrades.isTaken(request.raw)) recordResponse(request, reply);
    });
    reply.headers(API_HEADERS).header('x-request-id', request.id);
    const upload = findUpload(request);
    if (!upload || upload.isBrief) limitArrival(request, () => reply.raw.headersSent, requestTimeoutMs);
    done(findHostMistake(request.raw));
  });
  app.addHook('onSend', outlastBody);
  const writeLine = requestLog(log);
  const recordResponse = ({ id: reqId, method, routeOptions }: FastifyRequest, reply: FastifyReply) => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const route = routeOptions.url;
    metrics?.record({ method, route, status, seconds: durationMs / 1000 });
    writeLine({ reqId, method, route, status, durationMs });
  };
  return app;
}

/** Reveals nothing to unauthenticated callers, not even which paths exist. */
export function handleUnknownRoutes(
  app: FastifyInstance,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    await admit(request, reply);
    throw noOperation(app, request);
  };
  // Responds before the body is read, as for existing paths.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) refuse(request, reply).then(undefined, done);
    else done();
  });
  app.setNotFoundHandler(refuse);
}

function noOperation({ knownRoutes }: FastifyInstance, { method, url }: FastifyRequest): ApiError {
  const [path = ''] = url.split('?', 1);
  const methods = knownRoutes.methodsAt(path);
  if (methods.length > 0) {
    const detail = `There is no ${method} operation at this path, which takes ${methods.join(', ')}; see /api/v1/docs.`;
    return new ApiError('not_found_error', detail, { headers: { allow: methods.join(', ') } });
  }
  const meant = knownRoutes.findMeant(path);
  const hint = meant === undefined ? 'see /api/v1/docs.' : `did you mean ${meant}? See /api/v1/docs.`;
  return new ApiError('not_found_error', `There is no ${method} operation at this path; ${hint}`);
}

/** RFC 9112 section 3.2: a server and a proxy in front of it could choose different hosts. */
function findHostMistake({ headers, rawHeaders, httpVersion }: IncomingMessage): ApiError | undefined {
  if (headers.host === undefined && httpVersion === '1.1')
    return new ApiError('invalid_error', 'The request has no Host header.');
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  const isTwice = names.filter((name) => name.toLowerCase() === 'host').length > 1;
  return isTwice ? new ApiError('invalid_error', 'The request has more than one Host header.') : undefined;
}
