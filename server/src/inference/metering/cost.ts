/** Exact decimal costs of calls. Prices are dollars per million tokens, credits thousandths of a dollar. */
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import type { Price } from '../offered-model.ts';

/** `coefficient × 10^-scale` */
interface Decimal {
  readonly coefficient: bigint;
  readonly scale: number;
}

const ZERO: Decimal = { coefficient: 0n, scale: 0 };
/** Decimal digits of the million tokens that a price refers to. */
const MILLION_DIGITS = 6;
/** Decimal digits of the thousand credits in a dollar. */
const CREDIT_DIGITS = 3;
/** A billion dollars: the cap that lets the ledger add up calls, whatever a price list says. */
const MAX_CREDITS = 1_000_000_000_000n;

export interface Cost {
  /** Exact US dollars. */
  readonly dollars: string;
  readonly credits: number;
}

/**
 * Computes the cost of a call. Tokens read from or written to a cache are part of the input; the price stays correct for a provider that
 * reports more of them than input.
 */
export function costOf(usage: TokenUsage, price: Price): Cost {
  const { inputTokens, outputTokens } = usage;
  const read = Math.min(usage.cacheReadInputTokens, inputTokens);
  const created = Math.min(usage.cacheCreationInputTokens, inputTokens - read);
  return toCost([
    times(inputTokens - read - created, price.input_price),
    times(read, price.cache_read_price),
    times(created, price.cache_creation_price),
    times(outputTokens, price.output_price),
  ]);
}

/** Returns the maximum cost of a call, however much of it uses a cache. */
export function highestCost(
  { inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
  price: Price,
): Cost {
  const dearest = Math.max(price.input_price, price.cache_read_price, price.cache_creation_price);
  return toCost([times(inputTokens, dearest), times(outputTokens, price.output_price)]);
}

function toCost(parts: readonly Decimal[]): Cost {
  const { coefficient, scale } = parts.reduce(plus, ZERO);
  const dollars = { coefficient, scale: scale + MILLION_DIGITS };
  return { dollars: toText(dollars), credits: toCredits(dollars) };
}

/** Rounds up. */
function toCredits({ coefficient, scale }: Decimal): number {
  const divisor = powerOfTen(scale - CREDIT_DIGITS);
  const credits = (coefficient + divisor - 1n) / divisor;
  return Number(credits > MAX_CREDITS ? MAX_CREDITS : credits);
}

function times(tokens: number, price: number): Decimal {
  if (!Number.isSafeInteger(tokens) || tokens < 0) throw new RangeError(`${tokens} is not a count of tokens`);
  const { coefficient, scale } = decimalOf(price);
  return tokens === 0 ? ZERO : { coefficient: coefficient * BigInt(tokens), scale };
}

/** Cache of parsed prices: they are few, and needed for every call. */
const decimals = new Map<number, Decimal>();
const MAX_DECIMALS = 1_000;

function decimalOf(price: number): Decimal {
  const known = decimals.get(price);
  if (known) return known;
  const decimal = toDecimal(price);
  if (decimals.size >= MAX_DECIMALS) decimals.clear();
  decimals.set(price, decimal);
  return decimal;
}

function plus(a: Decimal, b: Decimal): Decimal {
  if (a === ZERO || b === ZERO) return a === ZERO ? b : a;
  if (a.scale === b.scale) return { coefficient: a.coefficient + b.coefficient, scale: a.scale };
  const scale = Math.max(a.scale, b.scale);
  const scaled = (one: Decimal) => one.coefficient * powerOfTen(scale - one.scale);
  return { coefficient: scaled(a) + scaled(b), scale };
}

/** Powers of ten, up to the number of decimals of a price: the smallest number has 324. */
const powers: bigint[] = [];

function powerOfTen(exponent: number): bigint {
  return (powers[exponent] ??= 10n ** BigInt(exponent));
}

/** Converts a number to the shortest decimal that parses to it, which is the one that was entered. */
function toDecimal(number: number): Decimal {
  if (!Number.isFinite(number) || number < 0) throw new RangeError(`${number} is not a price`);
  const [digits = '', exponent = '0'] = String(number).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const scale = fraction.length - Number(exponent);
  const coefficient = BigInt(whole + fraction);
  if (scale >= 0) return { coefficient, scale };
  return { coefficient: coefficient * 10n ** BigInt(-scale), scale: 0 };
}

function toText({ coefficient, scale }: Decimal): string {
  const digits = String(coefficient).padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return digits.slice(0, digits.length - scale) + (fraction && `.${fraction}`);
}
