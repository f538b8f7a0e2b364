/** Plans of calls: the request, the provider's behaviour, and the expected cost. */
import type { Random } from '../../fuzz/random.ts';

/** The provider's behaviour. */
export type Deed =
  | 'answer' // responds normally
  | 'stumble' // fails once, and responds when the request is repeated
  | 'keep quiet' // responds without reporting usage
  | 'refuse'
  | 'drop' // breaks off in the middle
  | 'babble' // returns something that is not a chat completion
  | 'hang'; // begins and then stops sending

export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}

/** The instruction to the provider inside a message. */
export interface Order {
  readonly number: number;
  readonly deed: Deed;
  readonly tokens: Tokens;
  readonly words: number;
  readonly pauseMs: number;
}

export interface CallPlan extends Order {
  readonly model: string;
  readonly isStreamed: boolean;
  /** When the caller disconnects: milliseconds after the request, or after the first data it received. */
  readonly leaves: { readonly afterMs: number; readonly isAfterFirst: boolean } | undefined;
  /** A unique id, which distinguishes the records of a call from all others. */
  readonly traceId: string;
  readonly spanId: string;
  readonly isNamedInHeader: boolean;
}

/** Dollars per million tokens, in millionths. */
interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheCreation: number;
}

export const PROVIDER = 'storm';
const PRICES: Readonly<Record<string, Price>> = {
  cheap: { input: 150_000, output: 600_000, cacheRead: 150_000, cacheCreation: 150_000 },
  dear: { input: 3_000_000, output: 15_000_000, cacheRead: 300_000, cacheCreation: 3_750_000 },
  odd: { input: 1_234_567, output: 7_654_321, cacheRead: 1, cacheCreation: 999_999 },
};
const MODELS = Object.keys(PRICES).map((name) => `${PROVIDER}/${name}`);
const SIMULATED = 'sim/echo';
const UNKNOWN = `${PROVIDER}/not-offered`;
export const isSimulated = ({ model }: CallPlan) => model === SIMULATED;

export const providerAt = (baseUrl: string) => ({
  name: PROVIDER,
  kind: 'openai_compatible',
  base_url: baseUrl,
  api_key: 'sk-storm',
  timeout_seconds: 30,
  models: Object.entries(PRICES).map(([name, price]) => ({
    name,
    input_price: price.input / 1e6,
    output_price: price.output / 1e6,
    cache_read_price: price.cacheRead / 1e6,
    cache_creation_price: price.cacheCreation / 1e6,
    max_output_tokens: 400,
  })),
});

/** Number of units that make up one dollar. */
export const DOLLAR = 10n ** 12n;
const CREDITS_PER_DOLLAR = 1_000n;

/** In units of 1 / DOLLAR. */
export function costOf(model: string, { input, output, cacheRead, cacheCreation }: Tokens): bigint {
  const price = PRICES[model.slice(PROVIDER.length + 1)];
  if (!model.startsWith(`${PROVIDER}/`) || !price) return 0n;
  const plain = input - cacheRead - cacheCreation;
  return (
    BigInt(plain) * BigInt(price.input) +
    BigInt(cacheRead) * BigInt(price.cacheRead) +
    BigInt(cacheCreation) * BigInt(price.cacheCreation) +
    BigInt(output) * BigInt(price.output)
  );
}

/** Rounded up. */
export function creditsOf(cost: bigint): number {
  const perCredit = DOLLAR / CREDITS_PER_DOLLAR;
  return Number((cost + perCredit - 1n) / perCredit);
}

const DEEDS: readonly (readonly [weight: number, deed: Deed])[] = [
  [85, 'answer'],
  [1, 'stumble'],
  [3, 'keep quiet'],
  [3, 'refuse'],
  [3, 'drop'],
  [1, 'babble'],
  [4, 'hang'],
];

export function planCall(random: Random, number: number): CallPlan {
  const model = random.weighted([
    [85, random.pick(MODELS)],
    [14, SIMULATED],
    [1, UNKNOWN],
  ]);
  const deed = model === SIMULATED ? 'answer' : random.weighted(DEEDS);
  const input = random.integer(0, 900);
  const cacheRead = random.chance(0.3) ? random.integer(0, input) : 0;
  const cacheCreation = random.chance(0.2) ? random.integer(0, input - cacheRead) : 0;
  const isLeft = deed === 'hang' || random.chance(0.03);
  const leaves = { afterMs: random.integer(0, 25), isAfterFirst: random.chance(0.5) };
  return {
    number,
    model,
    deed,
    tokens: { input, output: random.integer(0, 300), cacheRead, cacheCreation },
    words: random.integer(1, 12),
    pauseMs: random.chance(0.1) ? random.integer(1, 8) : 0,
    isStreamed: random.chance(0.45),
    leaves: isLeft ? leaves : undefined,
    // Never an id of zeros only.
    traceId: `1${random.text('0123456789abcdef', 31)}`,
    spanId: `1${random.text('0123456789abcdef', 15)}`,
    isNamedInHeader: random.chance(0.5),
  };
}

const MARK = 'storm ';
export const WORD = 'word ';

export function requestOf(plan: CallPlan) {
  const { number, deed, tokens, words, pauseMs, model, isStreamed, traceId, spanId } = plan;
  const order: Order = { number, deed, tokens, words, pauseMs };
  return {
    model,
    messages: [{ role: 'user', content: `${MARK}${JSON.stringify(order)}` }],
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
    ...(!plan.isNamedInHeader && { metadata: { 'drydock.trace_id': traceId, 'drydock.span_id': spanId } }),
  };
}

export const readOrder = (content: string) => JSON.parse(content.slice(MARK.length)) as Order;

/** The estimate when the provider reports no usage, as docs/design/inference.md defines it. */
export function estimatedTokens(plan: CallPlan, length: number): Tokens {
  const input = Math.ceil(Buffer.byteLength(JSON.stringify([requestOf(plan).messages, undefined])) / 4);
  return { input, output: Math.ceil(length / 4), cacheRead: 0, cacheCreation: 0 };
}
