/** Ingests spans: from the bytes of a request to rows that are durably stored. */
import type { OrgScope } from '../../platform/auth/principal.ts';
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import { findQuotaLeft } from '../../platform/storage-limits/quotas.ts';
import { quotaExceeded } from '../../platform/storage-limits/storage-limit-error.ts';
import type { Refused } from '../otlp/response.ts';
import { BodyBudget } from './body-budget.ts';
import type { EncodedSpans } from './decode-thread.ts';
import { Decoder } from './decoder.ts';
import { PlaceFinder } from './places.ts';
import { type SpanChunk, transferablesOf } from './span-chunk.ts';
import { type Place, SpanWriter } from './span-writer.ts';
import { type FindPrices, priceCalls } from './unpriced-calls.ts';

export class SpanIngest {
  readonly bodies = new BodyBudget();
  private readonly db: Db;
  private readonly decoder = new Decoder();
  private readonly writer: SpanWriter;
  private readonly findPrices: FindPrices;
  private readonly quotaLeft = new ShortMemory<number | null>();

  constructor(db: Db, findPrices: FindPrices) {
    this.db = db;
    this.findPrices = findPrices;
    this.writer = new SpanWriter(db);
  }

  /**
   * Resolves when all valid spans are stored.
   * @param isWanted whether the client still waits for the response
   */
  async take(scope: OrgScope, encoded: EncodedSpans, isWanted: () => boolean): Promise<Rejections> {
    await this.requireSpanQuota(scope.organizationId, encoded.body.length);
    const places = new PlaceFinder(this.db, scope);
    const rejections = new Rejections();
    const { organizationId } = scope;
    const from = { organizationId, userId: scope.principal.userId };
    const store = async (chunk: SpanChunk) => {
      const reject = (index: number, reason: string) =>
        rejections.add(chunk.sources[index]?.spans ?? 0, reason);
      const allowed: (Place | undefined)[] = [];
      for (const [index, place] of (await places.find(chunk.sources)).entries()) {
        if (typeof place === 'string') reject(index, place);
        else allowed[index] = place;
      }
      if (allowed.length === 0) return;
      const costs = await this.priceUnpriced(organizationId, chunk);
      for (const { spans, reason } of await this.writer.write(chunk, from, allowed, costs))
        rejections.add(spans, REASONS[reason]);
      // Frees the memory now instead of at the next garbage collection. After an error the buffers may still be in use by the connection to
      // PostgreSQL, so they are kept.
      for (const buffer of transferablesOf(chunk)) buffer.transfer(0);
    };
    const { badIds } = await this.decoder.decode(encoded, { organizationId, store, isWanted });
    rejections.add(badIds, BAD_IDS);
    return rejections;
  }

  /** The remaining quota is cached for 0.7 s, so the quota may be exceeded by the spans that arrive in that time. */
  private async requireSpanQuota(organizationId: string, bytes: number): Promise<void> {
    const left = await this.quotaLeft.get(organizationId, () =>
      findQuotaLeft(this.db, organizationId, 'spans'),
    );
    if (left !== null && left < bytes) throw quotaExceeded('spans');
  }

  private async priceUnpriced(organizationId: string, { unpriced, spans }: SpanChunk) {
    if (unpriced.figures.length === 0) return undefined;
    return priceCalls(unpriced, spans, await this.findPrices(organizationId));
  }

  /** Stores the waiting spans and accepts no more. */
  async close(): Promise<void> {
    await this.decoder.close();
    await this.writer.drain();
  }
}

const BAD_IDS = 'a trace has an id of 16 bytes, a span and its parent have one of 8, and none is all zeros.';
const REASONS = {
  gone: 'the workspace that they belong to has just been deleted.',
  taken:
    'a span with the same trace id, span id and start time is already stored for another workspace or user of the organization; send these with new span ids.',
};

const MAX_REASONS = 3;
/** Maximum number of distinct reasons; further spans are counted without their reason. */
const MAX_COUNTED = 100;

class Rejections {
  private readonly reasons = new Map<string, number>();
  private total = 0;

  add(spans: number, reason: string): void {
    if (spans === 0) return;
    this.total += spans;
    if (this.reasons.size < MAX_COUNTED || this.reasons.has(reason))
      this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + spans);
  }

  get refused(): Refused {
    const most = [...this.reasons].toSorted(([, a], [, b]) => b - a).slice(0, MAX_REASONS);
    const reasons = most.map(([reason, spans]) => `${count(spans)}: ${reason}`);
    const left = this.total - most.reduce((sum, [, spans]) => sum + spans, 0);
    if (left > 0) reasons.push(`${count(left)}: other reasons of this kind.`);
    return { rejectedSpans: this.total, errorMessage: reasons.join(' ') };
  }
}

const count = (spans: number) => `${spans} ${spans === 1 ? 'span was' : 'spans were'} rejected`;
