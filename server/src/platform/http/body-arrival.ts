/** When a body may be sent, and how long it may take to arrive. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerLate } from './error-answers.ts';

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Node has one limit for every request of a server, and it is long: uploads are among them. This is for all others. */
export function limitArrival(request: FastifyRequest, isAnswered: () => boolean, limitMs: number): void {
  const { raw } = request;
  if (!hasBody(raw.headers)) return;
  // Most come together with their head, and need no limit.
  setImmediate(() => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => {
      if (raw.complete || raw.readableEnded) return;
      if (isAnswered()) raw.destroy();
      else answerLate(request);
    }, limitMs);
    timer.unref();
    raw.once('close', () => clearTimeout(timer));
  });
}

/** Who asks before it sends its body is told to go on when it was let in, and not before. */
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
