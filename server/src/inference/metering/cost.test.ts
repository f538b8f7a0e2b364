import { describe, expect, test } from 'vitest';
import type { TokenUsage } from '../../platform/llm/chat-model.ts';
import type { Price } from '../offered-model.ts';
import { costOf, highestCost } from './cost.ts';

const usageOf = (input: number, output: number, read = 0, created = 0): TokenUsage => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadInputTokens: read,
  cacheCreationInputTokens: created,
});
const priceOf = (input: number, output: number, read = input, created = input): Price => ({
  input_price: input,
  output_price: output,
  cache_read_price: read,
  cache_creation_price: created,
});

describe('costOf is exact', () => {
  test.each([
    [usageOf(3, 0), priceOf(0.1, 0), '0.0000003', 1],
    [usageOf(1, 2), priceOf(0.1, 0.2), '0.0000005', 1],
    [usageOf(0, 0), priceOf(5, 5), '0', 0],
    [usageOf(1_000_000, 1_000_000), priceOf(0, 0), '0', 0],
    [usageOf(1_000_000, 0), priceOf(3, 15), '3', 3_000],
    [usageOf(1_000, 0), priceOf(1, 0), '0.001', 1],
    [usageOf(1_001, 0), priceOf(1, 0), '0.001001', 2],
    [usageOf(1_000_000, 0), priceOf(0.001, 0), '0.001', 1],
    [usageOf(10, 0, 4, 3), priceOf(1, 0, 0.1, 1.25), '0.00000715', 1],
    [usageOf(10, 0, 40, 3), priceOf(1, 0, 0.1, 1.25), '0.000001', 1],
    [usageOf(1, 0), priceOf(1e-7, 0), '0.0000000000001', 1],
    [usageOf(2 ** 31, 2 ** 31), priceOf(1e21, 1e21), '4294967296000000000000000', 1e12],
  ])('for example %#', (usage, price, dollars, credits) => {
    expect(costOf(usage, price)).toEqual({ dollars, credits });
  });

  /** Prices are millionths of a dollar, so that everything is an integer: dollars are then 10^-12 of the sum. */
  test('for random numbers, compared with integers', () => {
    const below = (limit: number) => Math.floor(Math.random() * limit);
    for (let round = 0; round < 20_000; round++) {
      const size = 10 ** (1 + below(9));
      const [rest, read, created, output] = [below(size), below(size), below(size), below(size)] as const;
      const given = Array.from({ length: 4 }, () => below(10 ** below(9)));
      const [a = 0, b = 0, c = 0, d = 0] = given;
      const price = priceOf(a / 1e6, d / 1e6, b / 1e6, c / 1e6);
      const exact =
        BigInt(rest) * BigInt(a) +
        BigInt(read) * BigInt(b) +
        BigInt(created) * BigInt(c) +
        BigInt(output) * BigInt(d);
      const cost = costOf(usageOf(rest + read + created, output, read, created), price);
      const [whole = '', fraction = ''] = cost.dollars.split('.');
      expect(BigInt(whole + fraction.padEnd(12, '0'))).toBe(exact);
      expect(BigInt(cost.credits)).toBe((exact + 999_999_999n) / 1_000_000_000n);
      const most = highestCost(usageOf(rest + read + created, output), price);
      expect(most.credits).toBeGreaterThanOrEqual(cost.credits);
    }
  });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('costOf refuses %s as a price', (price) => {
  expect(() => costOf(usageOf(1, 1), priceOf(price, 1))).toThrow(RangeError);
});

test.each([-1, 1.5, Number.NaN])('costOf refuses %s as a count of tokens', (tokens) => {
  expect(() => costOf(usageOf(0, tokens), priceOf(1, 1))).toThrow(RangeError);
});
