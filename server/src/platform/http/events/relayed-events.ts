/** Sends server-sent events produced by an operation itself: as they arrive, with backpressure, and to their end. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toErrorBody } from '../responses/error-responses.ts';
import { toPassingFrame, toUnnamedFrame } from './event-format.ts';
import { EventWriter, type WriterTimings } from './event-writer.ts';

/** The handler sees a disconnect of its caller in `call.signal`; a caller that stops reading is cut off here. */
export async function relayEvents(
  chunks: AsyncIterable<Buffer>,
  headers: Readonly<Record<string, string>>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  timings: WriterTimings,
): Promise<FastifyReply> {
  // The last chunk has as much time with a slow reader as those before it.
  const writer = new EventWriter(reply, { ...timings, farewellMs: timings.drainMs });
  const begin = () => {
    reply.headers(headers);
    writer.begin({}); // the connection can be reused
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
    const envelope = toErrorBody(error, request);
    if (envelope.code === 500 && !writer.isOver) request.log.error({ err: error }, 'request failed');
    const { eventType } = request.server.errorForms.find(request) ?? {};
    lastWord = eventType === undefined ? toUnnamedFrame(envelope) : toPassingFrame(eventType, envelope);
  }
  if (!writer.hasBegun) begin();
  writer.hangUp(lastWord);
  return reply;
}
