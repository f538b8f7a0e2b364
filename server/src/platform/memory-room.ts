/** Room in memory for what is large and may stay for long: so much for each user, and for all of them. */
import { ApiError } from './http/errors.ts';

const MEBIBYTE = 1024 * 1024;
const PER_USER = 64 * MEBIBYTE;
const PER_PROCESS = 256 * MEBIBYTE;
/** What is small is not counted: large things must not keep out the small ones. */
const SMALL_BYTES = MEBIBYTE;
const RETRY_AFTER_SECONDS = '2';

export class MemoryRoom {
  private readonly what: string;
  private readonly taken = new Map<string | undefined, number>();
  private total = 0;

  /** @param what there is room for, in words, such as "large requests" */
  constructor(what: string) {
    this.what = what;
  }

  /** @param userId whose are counted together; undefined for the public */
  open(userId: string | undefined): Share {
    return new Share(this, userId);
  }

  /** @returns why there is no room. The first of a user always fits, and so does the first of all */
  grow(userId: string | undefined, from: number, to: number): ApiError | undefined {
    const own = (this.taken.get(userId) ?? 0) - from;
    const all = this.total - from;
    const isOwnLimit = own > 0 && own + to > PER_USER;
    if (isOwnLimit || (all > 0 && all + to > PER_PROCESS)) {
      const detail = isOwnLimit
        ? `You have as many ${this.what} under way as are taken at once; send the next when one is answered.`
        : `This server has as many ${this.what} under way as it takes; try again in a few seconds.`;
      return new ApiError('usage_limit_exceeded_error', detail, {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    }
    this.set(userId, own + to);
    this.total = all + to;
    return undefined;
  }

  give(userId: string | undefined, bytes: number): void {
    this.set(userId, (this.taken.get(userId) ?? 0) - bytes);
    this.total -= bytes;
  }

  private set(userId: string | undefined, bytes: number): void {
    if (bytes > 0) this.taken.set(userId, bytes);
    else this.taken.delete(userId);
  }
}

/** What one thing takes of it. */
export class Share {
  private readonly room: MemoryRoom;
  private readonly userId: string | undefined;
  private bytes = 0;

  constructor(room: MemoryRoom, userId: string | undefined) {
    this.room = room;
    this.userId = userId;
  }

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** Once it has taken so much, it keeps that. @returns why there is no room */
  take(bytes: number): ApiError | undefined {
    if (!(bytes > SMALL_BYTES) || bytes <= this.bytes) return undefined;
    const refusal = this.room.grow(this.userId, this.bytes, bytes);
    if (!refusal) this.bytes = bytes;
    return refusal;
  }

  /** More than once does no harm. */
  free(): void {
    if (this.bytes > 0) this.room.give(this.userId, this.bytes);
    this.bytes = 0;
  }
}
