/** Room for bodies that are taken and not yet answered: what does not fit is refused before it is read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.ts';
import { contentEncodingOf } from '../../platform/http/uploads.ts';

const MEBIBYTE = 1024 * 1024;
/** What a request costs besides its body. */
const LEAST = 64 * 1024;
/** A body in its largest form. */
const MOST = 16 * MEBIBYTE;
/** Of one that does not tell its length: it is counted as it arrives. */
const FIRST = MEBIBYTE / 2;
/** What is packed is several times as much work, and its sender waits for that; but only one large one is unpacked at a time. */
const PACKED = 8;
const PACKED_MOST = 6 * MEBIBYTE;
const RETRY_AFTER_SECONDS = '2';

export interface RoomOptions {
  readonly perProcess: number;
  readonly perOrganization: number;
}

const OPTIONS: RoomOptions = { perProcess: 48 * MEBIBYTE, perOrganization: 24 * MEBIBYTE };

export class IngestRoom {
  private readonly options: RoomOptions;
  private readonly taken = new Map<string, number>();
  private readonly holds = new WeakMap<FastifyRequest, Hold>();
  private total = 0;

  constructor(options = OPTIONS) {
    this.options = options;
  }

  get bytes(): number {
    return this.total;
  }

  /** @returns why a request is not taken now */
  admit(request: FastifyRequest, reply: FastifyReply, organizationId: string): ApiError | undefined {
    const { headers } = request;
    const hold = new Hold(this, organizationId, contentEncodingOf(headers) !== undefined);
    const refusal = hold.fill(Number(headers['content-length'] ?? FIRST));
    if (refusal) return refusal;
    this.holds.set(request, hold);
    reply.raw.once('close', () => hold.leave());
    if (reply.raw.closed) hold.leave(); // it will say so no more
    return undefined;
  }

  /** Its room is given back when it is over and answered: who leaves early does not make room for the next. */
  async during<T>(request: FastifyRequest, work: (hold: Hold) => Promise<T>): Promise<T> {
    const hold = this.holds.get(request);
    if (!hold) throw new Error('The request was never let in.');
    hold.stay();
    try {
      return await work(hold);
    } finally {
      hold.leave();
    }
  }

  /** @returns why there is no room for so much more */
  take(organizationId: string, bytes: number): ApiError | undefined {
    const own = this.taken.get(organizationId) ?? 0;
    const { perProcess, perOrganization } = this.options;
    // The first always fits.
    const isOwnLimit = own > 0 && own + bytes > perOrganization;
    if (isOwnLimit || (this.total > 0 && this.total + bytes > perProcess)) {
      const detail = isOwnLimit
        ? 'As many spans of your organization are on their way as are taken at once; send these again in a few seconds.'
        : 'This server has as many spans under way as it takes; send these again in a few seconds.';
      const headers = { 'retry-after': RETRY_AFTER_SECONDS };
      return new ApiError('usage_limit_exceeded_error', detail, { headers });
    }
    this.give(organizationId, -bytes);
    return undefined;
  }

  give(organizationId: string, bytes: number): void {
    const own = (this.taken.get(organizationId) ?? 0) - bytes;
    if (own > 0) this.taken.set(organizationId, own);
    else this.taken.delete(organizationId);
    this.total -= bytes;
  }
}

/** The room of one request. */
export class Hold {
  private readonly room: IngestRoom;
  private readonly organizationId: string;
  private readonly isPacked: boolean;
  private held = 0;
  private holders = 1;

  constructor(room: IngestRoom, organizationId: string, isPacked: boolean) {
    this.room = room;
    this.organizationId = organizationId;
    this.isPacked = isPacked;
  }

  /** For a body of so many bytes, of which some may have been counted before. @returns why there is no room for it */
  fill(bodyBytes: number): ApiError | undefined {
    const unpacked = this.isPacked ? Math.min(bodyBytes * PACKED, PACKED_MOST) : bodyBytes;
    const bytes = Math.min(Math.max(bodyBytes, unpacked, LEAST), MOST);
    if (!(bytes > this.held)) return undefined;
    const refusal = this.room.take(this.organizationId, bytes - this.held);
    if (!refusal) this.held = bytes;
    return refusal;
  }

  stay(): void {
    this.holders++;
  }

  leave(): void {
    if (--this.holders > 0) return;
    this.room.give(this.organizationId, this.held);
    this.held = 0;
  }
}
