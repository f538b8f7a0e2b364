/** Room for large bodies: they lie in memory from their first byte until they are answered, however long that takes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';

const MEBIBYTE = 1024 * 1024;
const PER_USER = 64 * MEBIBYTE;
const PER_PROCESS = 256 * MEBIBYTE;
/** What any operation takes is not counted: large requests must not keep out the small ones. */
const SMALL_BYTES = MEBIBYTE;
const RETRY_AFTER_SECONDS = '2';

export class BodyRoom {
  private readonly taken = new Map<string | undefined, number>();
  private total = 0;

  /** Until the request is over. Before its body is read. @returns why it is not taken */
  take(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    userId: string | undefined,
    maxBytes: number,
  ): ApiError | undefined {
    // One that is not told is taken for the largest; a larger one is refused by who reads it.
    const bytes = Math.min(Number(headers['content-length'] ?? maxBytes), maxBytes);
    if (!(bytes > SMALL_BYTES)) return undefined;
    const own = this.taken.get(userId) ?? 0;
    // The first always fits.
    const isOwnLimit = own > 0 && own + bytes > PER_USER;
    if (isOwnLimit || (this.total > 0 && this.total + bytes > PER_PROCESS)) {
      const detail = isOwnLimit
        ? 'You have as many large requests under way as are taken at once; send the next when one is answered.'
        : 'This server has as many large requests under way as it takes; try again in a few seconds.';
      return new ApiError('usage_limit_exceeded_error', detail, {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    }
    this.add(userId, bytes);
    reply.raw.once('close', () => this.add(userId, -bytes));
    return undefined;
  }

  private add(userId: string | undefined, bytes: number): void {
    const own = (this.taken.get(userId) ?? 0) + bytes;
    if (own > 0) this.taken.set(userId, own);
    else this.taken.delete(userId);
    this.total += bytes;
  }
}
