/** Controls when a client may send its body, and how long the body may take to arrive. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { respondLate } from '../responses/error-responses.ts';

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Node has one time limit for all requests of a server, which has to cover uploads. This is the limit of all other requests. */
export function limitArrival(request: FastifyRequest, hasResponded: () => boolean, limitMs: number): void {
  const { raw } = request;
  if (!hasBody(raw.headers)) return;
  // Most bodies arrive together with the headers, and need no limit.
  setImmediate(() => {
    if (raw.complete || raw.readableEnded || raw.destroyed) return;
    const timer = setTimeout(() => {
      if (raw.complete || raw.readableEnded) return;
      if (hasResponded()) raw.destroy();
      else respondLate(request);
    }, limitMs);
    timer.unref();
    const clear = () => clearTimeout(timer);
    raw.once('end', clear).once('close', clear);
  });
}

/** Sends `100 Continue` to a client that waits before sending its body only after the request was admitted. */
export function delayContinue(app: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  app.server.on('checkContinue', (request, response) => {
    waiting.add(request);
    app.server.emit('request', request, response);
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (waiting.has(request.raw)) reply.raw.writeContinue();
    done(null, payload);
  });
}
