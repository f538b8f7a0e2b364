/** Room in memory for what is large and may stay for long: so much for each user, and for all of them. */
import { ApiError } from './errors.ts';

interface RoomOptions {
  /** What there is room for, in words, such as "large requests". */
  readonly what: string;
  readonly perUser?: number;
  readonly perProcess?: number;
  /** Of a refusal, beside Retry-After. */
  readonly headers?: Readonly<Record<string, string>>;
}

const MEBIBYTE = 1024 * 1024;
const LIMITS = { perUser: 64 * MEBIBYTE, perProcess: 256 * MEBIBYTE };
/** What is small is not counted: large things must not keep out the small ones. */
const SMALL_BYTES = MEBIBYTE;
const RETRY_AFTER_SECONDS = '2';

export class MemoryRoom {
  private readonly options: RoomOptions & typeof LIMITS;
  private readonly taken = new Map<string | undefined, number>();
  private total = 0;

  constructor(options: RoomOptions) {
    this.options = { ...LIMITS, ...options };
  }

  /** @param userId whose are counted together; undefined for the public */
  open(userId: string | undefined): Share {
    return new Share(this, userId);
  }

  /** What is alone always fits. @returns why there is no room */
  change(userId: string | undefined, from: number, to: number): ApiError | undefined {
    const { perUser, perProcess } = this.options;
    const own = (this.taken.get(userId) ?? 0) - from;
    const all = this.total - from;
    const isOwnLimit = own > 0 && own + to > perUser;
    if (to > from && (isOwnLimit || (all > 0 && all + to > perProcess))) return this.refuse(isOwnLimit);
    if (own + to > 0) this.taken.set(userId, own + to);
    else this.taken.delete(userId);
    this.total = all + to;
    return undefined;
  }

  private refuse(isOwnLimit: boolean): ApiError {
    const { what, headers } = this.options;
    const detail = isOwnLimit
      ? `You have as many ${what} under way as are taken at once; send the next when one is answered.`
      : `This server has as many ${what} under way as it takes; try again in a few seconds.`;
    return new ApiError('usage_limit_exceeded_error', detail, {
      headers: { ...headers, 'retry-after': RETRY_AFTER_SECONDS },
    });
  }
}

/** What one thing takes of it. */
export class Share {
  private readonly room: MemoryRoom;
  private readonly userId: string | undefined;
  private bytes = 0;
  private isOver = false;

  constructor(room: MemoryRoom, userId: string | undefined) {
    this.room = room;
    this.userId = userId;
  }

  get isEmpty(): boolean {
    return this.bytes === 0;
  }

  /** So much in place of what it took before. @returns why it must not */
  take(bytes: number): Error | undefined {
    const to = bytes > SMALL_BYTES ? bytes : 0;
    if (to === this.bytes) return undefined;
    // Nobody would give it back.
    if (this.isOver) return new Error('What this room was for is over.');
    const refusal = this.room.change(this.userId, this.bytes, to);
    if (!refusal) this.bytes = to;
    return refusal;
  }

  /** For good. More than once does no harm. */
  free(): void {
    this.take(0);
    this.isOver = true;
  }
}
