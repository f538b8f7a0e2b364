/** Sends server-sent events that an operation makes itself: as they come, as fast as they are taken, and to their end. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toToldError } from './error-answers.ts';
import { toPassingFrame, toUnnamedFrame } from './event-format.ts';
import { EventWriter, type WriterTimings } from './event-writer.ts';

/** The handler learns from `call.signal` that its caller has left; a caller that takes nothing any more is cut off here. */
export async function relayEvents(
  chunks: AsyncIterable<Buffer>,
  headers: Readonly<Record<string, string>>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  timings: WriterTimings,
): Promise<FastifyReply> {
  // The last piece may take as long to a slow reader as those before it.
  const writer = new EventWriter(reply, { ...timings, farewellMs: timings.drainMs });
  const begin = () => {
    reply.headers(headers);
    writer.begin({}); // the connection is good for the next call
  };
  let lastWord = '';
  try {
    for await (const chunk of chunks) {
      if (!writer.hasBegun) begin();
      const taken = writer.send(chunk);
      if (taken) await taken;
      if (writer.isOver) break;
    }
  } catch (error) {
    if (!writer.hasBegun) throw error;
    const envelope = toToldError(error, request);
    if (envelope.code === 500 && !writer.isOver) request.log.error({ err: error }, 'request failed');
    const { eventType } = request.server.errorForms.find(request) ?? {};
    lastWord = eventType === undefined ? toUnnamedFrame(envelope) : toPassingFrame(eventType, envelope);
  }
  if (!writer.hasBegun) begin();
  writer.hangUp(lastWord);
  return reply;
}
