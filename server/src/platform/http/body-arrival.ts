/** When a body may be sent, and how long it may take to arrive. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { answerParserError } from './error-answers.ts';

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Node has one limit for every request of a server, and it is long: uploads are among them. This is for all others. */
export function limitArrival(request: IncomingMessage, isAnswered: () => boolean, limitMs: number): void {
  if (!hasBody(request.headers)) return;
  const timer = setTimeout(() => {
    if (request.complete || request.readableEnded) return;
    const { socket } = request as { socket: Socket | undefined };
    if (isAnswered()) request.destroy();
    else if (socket) answerParserError(lateError(), socket);
  }, limitMs);
  timer.unref();
  request.once('close', () => clearTimeout(timer));
}

const lateError = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

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
