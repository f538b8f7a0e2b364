/** Random spans of a few traces, many of them equal or in the same conversation, which are hard to aggregate. */
import { Random } from '../fuzz/random.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { SpanFacts } from '../src/traces/dialects/facts.ts';
import type { Place, Sender } from '../src/traces/ingest/span-writer.ts';
import { type DecodedSpan, Double, type SpanSource } from '../src/traces/otlp/model.ts';
import { SPAN_TYPES } from '../src/traces/span-types.ts';
import { keyValues, spanSource } from './decoded-spans.ts';

/** A span before it is stored. */
export interface GivenSpan {
  readonly span: DecodedSpan;
  readonly facts: SpanFacts;
  readonly source: SpanSource;
  readonly from: Sender;
  readonly place: Place;
}

export interface Surroundings {
  readonly senders: readonly Sender[];
  readonly places: readonly Place[];
  /** Conversations, some of which are sessions. */
  readonly conversations: readonly string[];
}

const TEXTS = [
  'chat',
  'ΣΟΦΟΣ Σ',
  'nul\0within',
  'lone \uD800',
  'İ\uFFFFẞ',
  '',
  'a'.repeat(2_000),
  '😀 "quoted" \\',
];
const MODELS = ['gpt', 'opus', 'Zeta', 'éclair', null];
const TIMES = [
  0n,
  1n,
  999n,
  1_790_000_000_123_456_789n,
  1_790_000_000_123_456_790n,
  2n ** 63n,
  2n ** 64n - 1n,
];
const PARENTS = [new Uint8Array(0), new Uint8Array(8), new Uint8Array(8).fill(7)];

export class CollidingSpans {
  private readonly random: Random;
  private readonly surroundings: Surroundings;
  private readonly sources = [
    spanSource(),
    spanSource({ 'service.name': 'other', n: 2n ** 60n }),
    spanSource({ x: 'no name' }),
  ];
  private readonly traces: readonly Uint8Array[];

  constructor(seed: string, surroundings: Surroundings, traces = 4) {
    this.random = new Random(seed, 'spans');
    this.surroundings = surroundings;
    this.traces = Array.from({ length: traces }, () => this.bytes(16));
  }

  next(): GivenSpan {
    const { random, surroundings } = this;
    return {
      span: this.span(),
      facts: this.facts(),
      source: random.pick(this.sources),
      from: random.pick(surroundings.senders),
      place: random.pick(surroundings.places),
    };
  }

  private bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.random.integer(1, 255));
  }

  private span(): DecodedSpan {
    const { random } = this;
    const events = Array.from({ length: random.integer(0, 2) }, (_, n) => ({
      timeUnixNano: random.pick(TIMES),
      name: random.pick(TEXTS),
      attributes: keyValues({ n, text: random.pick(TEXTS) }),
      droppedAttributesCount: n,
    }));
    const links = Array.from({ length: random.integer(0, 2) }, () => ({
      traceId: random.chance(0.5) ? this.bytes(16) : this.bytes(15),
      spanId: random.chance(0.9) ? this.bytes(8) : new Uint8Array(8),
      traceState: random.pick(TEXTS),
      flags: 2 ** 32 - 1,
      attributes: keyValues({ link: random.pick(TEXTS) }),
      droppedAttributesCount: 3,
    }));
    return {
      traceId: random.pick(this.traces),
      spanId: new Uint8Array(8).fill(random.integer(1, 12)),
      parentSpanId: random.pick(PARENTS),
      traceState: random.pick(TEXTS),
      flags: random.pick([0, 1, 2 ** 32 - 1]),
      name: random.pick(TEXTS),
      kind: random.integer(0, 5),
      startTimeUnixNano: random.pick(TIMES),
      endTimeUnixNano: random.pick(TIMES),
      attributes: keyValues({
        a: random.pick(TEXTS),
        b: 2n ** 63n - 1n,
        c: new Double(random.integer(0, 9)),
      }),
      droppedAttributesCount: random.pick([0, 2 ** 32 - 1]),
      events,
      droppedEventsCount: random.integer(0, 3),
      links,
      droppedLinksCount: random.integer(0, 3),
      statusCode: random.integer(0, 2),
      statusMessage: random.pick(TEXTS),
    };
  }

  private facts(): SpanFacts {
    const { random, surroundings } = this;
    const text = () => random.pick(['plain', 'Ünïcode', null]);
    const count = () => random.pick([0, 1, 1_234, 2 ** 32 - 1, null]);
    return {
      spanType: random.pick(SPAN_TYPES),
      operation: text(),
      provider: text(),
      model: random.pick(MODELS),
      agentName: text(),
      toolName: text(),
      assessmentId: null,
      project: null,
      isPending: false,
      conversationId: random.pick([...surroundings.conversations, uuidv7().slice(1), null]),
      inputTokens: count(),
      outputTokens: count(),
      cacheReadInputTokens: count(),
      cacheCreationInputTokens: count(),
      costUsd: random.chance(0.3) ? null : random.integer(0, 5_000_000) / 1e6,
      inferenceCallId: random.chance(0.5) ? null : uuidv7().replaceAll('-', ''),
      inputPreview: text(),
      outputPreview: text(),
    };
  }
}
