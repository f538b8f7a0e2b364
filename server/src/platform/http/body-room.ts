/** Room for large bodies: they lie in memory from their first byte until they are answered, however long that takes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MemoryRoom } from '../memory-room.ts';

export class BodyRoom {
  private readonly room = new MemoryRoom({ what: 'large requests' });

  /** Until the request is over. Before its body is read. @returns why it is not taken */
  take(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    userId: string | undefined,
    maxBytes: number,
  ): Error | undefined {
    const share = this.room.open(userId);
    // One that is not told is taken for the largest; a larger one is refused by who reads it.
    const refusal = share.take(Math.min(Number(headers['content-length'] ?? maxBytes), maxBytes));
    if (!share.isEmpty) reply.raw.once('close', () => share.free());
    return refusal;
  }
}
