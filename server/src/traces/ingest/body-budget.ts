/** The memory budget for span bodies: a request that exceeds it is refused before its body is read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, type Share } from '../../platform/admission/budget.ts';
import { contentEncodingOf } from '../../platform/http/requests/uploads.ts';

const MEBIBYTE = 1024 * 1024;
/** Minimum cost of a request in bytes. */
const MIN_BYTES = 64 * 1024;
/** Maximum body size. */
const MAX_BYTES = 16 * MEBIBYTE;
/** Initial reservation for a body without Content-Length, which grows as the body arrives. */
const FIRST_BYTES = MEBIBYTE / 2;
/**
 * A compressed body counts several times its size, since it takes longer to unpack. The result is capped, because only one
 * large body is unpacked at a time.
 */
const PACKED_FACTOR = 8;
const MAX_PACKED_BYTES = 6 * MEBIBYTE;

export class BodyBudget {
  readonly #budget = new Budget({
    perOwner: 24 * MEBIBYTE,
    total: 48 * MEBIBYTE,
    ownerLimit:
      'As many spans of your organization are on their way as are taken at once; send these again in a few seconds.',
    totalLimit: 'This server has as many spans under way as it takes; send these again in a few seconds.',
    retryAfterSeconds: 2,
  });
  readonly #holds = new WeakMap<FastifyRequest, Hold>();

  get bytes(): number {
    return this.#budget.taken;
  }

  /** @returns an error when the request does not fit into the budget */
  admit(request: FastifyRequest, reply: FastifyReply, organizationId: string): Error | undefined {
    const { headers } = request;
    const hold = new Hold(this.#budget.open(organizationId), contentEncodingOf(headers) !== undefined);
    const refusal = hold.fill(Number(headers['content-length'] ?? FIRST_BYTES));
    if (refusal) return refusal;
    this.#holds.set(request, hold);
    reply.raw.once('close', () => hold.leave());
    // A response that is already closed emits no further event.
    if (reply.raw.closed) hold.leave();
    return undefined;
  }

  /**
   * Releases the bytes after the work is done and the response is closed, so a client that disconnects early does not free them for its
   * next request.
   */
  async during<T>(request: FastifyRequest, work: (hold: Hold) => Promise<T>): Promise<T> {
    const hold = this.#holds.get(request);
    if (!hold) throw new Error('The request was never admitted.');
    hold.stay();
    try {
      return await work(hold);
    } finally {
      hold.leave();
    }
  }
}

/** Bytes held by one request. */
export class Hold {
  readonly #share: Share;
  readonly #isPacked: boolean;
  #bytes = 0;
  #holders = 1;

  constructor(share: Share, isPacked: boolean) {
    this.#share = share;
    this.#isPacked = isPacked;
  }

  /**
   * Reserves memory for a body of this length, part of which may be reserved already.
   * @returns the error when it does not fit
   */
  fill(bodyBytes: number): Error | undefined {
    const unpacked = this.#isPacked ? Math.min(bodyBytes * PACKED_FACTOR, MAX_PACKED_BYTES) : bodyBytes;
    const bytes = Math.min(Math.max(bodyBytes, unpacked, MIN_BYTES), MAX_BYTES);
    if (!(bytes > this.#bytes)) return undefined;
    const refusal = this.#share.take(bytes);
    if (!refusal) this.#bytes = bytes;
    return refusal;
  }

  stay(): void {
    this.#holders++;
  }

  leave(): void {
    if (--this.#holders === 0) this.#share.free();
  }
}
