/** How many answers may be open at once that last for as long as their readers stay, or as somebody else takes. */
import { ApiError } from './errors.ts';

export interface ConnectionLimits {
  readonly perUser: number;
  readonly perProcess: number;
}

const LIMITS: ConnectionLimits = { perUser: 20, perProcess: 1_000 };
const RETRY_AFTER_SECONDS = '5';

export class ConnectionSlots {
  private readonly limits: ConnectionLimits;
  private readonly what: string;
  private readonly slots = new Map<string | undefined, number>();
  private total = 0;

  /** @param what they are called where one more is refused */
  constructor(limits: Partial<ConnectionLimits> = {}, what = 'event streams') {
    this.limits = { ...LIMITS, ...limits };
    this.what = what;
  }

  get taken(): number {
    return this.total;
  }

  /** @param userId whose are counted together; undefined for the public. @returns what gives it back, once */
  take(userId: string | undefined): () => void {
    const taken = this.slots.get(userId) ?? 0;
    const isOwnLimit = userId !== undefined && taken >= this.limits.perUser;
    if (isOwnLimit || this.total >= this.limits.perProcess) {
      const detail = isOwnLimit
        ? `You have ${taken} ${this.what} open, which is the most; close one first.`
        : `This server has as many ${this.what} open as it takes; try again in a few seconds.`;
      throw new ApiError('usage_limit_exceeded_error', detail, {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    }
    this.slots.set(userId, taken + 1);
    this.total++;
    return () => this.free(userId);
  }

  private free(userId: string | undefined): void {
    const left = (this.slots.get(userId) ?? 1) - 1;
    if (left === 0) this.slots.delete(userId);
    else this.slots.set(userId, left);
    this.total--;
  }
}
