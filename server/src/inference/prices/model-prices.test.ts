/** Prices of calls reported by spans, under the various names that spans use for their model. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { findOrganizationId } from '../../../test/other-organization.ts';
import { loadConfig } from '../../config.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { ModelPrices, type PriceCall } from './model-prices.ts';
import { BUILT_IN_PRICES, readPriceList } from './price-list.ts';

const { db, ...server } = await startTestServer();
const organizationId = await findOrganizationId({ ...server, db }, 'main');
const prices = new ModelPrices(db, readPriceList(BUILT_IN_PRICES));

await sql`
  INSERT INTO inference_providers (organization_id, name, kind, base_url, timeout_seconds)
  VALUES (${organizationId}, 'openai', 'openai_compatible', 'https://models.example', 60)`.execute(db);
await sql`
  INSERT INTO inference_models (organization_id, provider, name, input_price, output_price, cache_read_price,
                                cache_creation_price, max_output_tokens)
  VALUES (${organizationId}, 'openai', 'gpt-4o', 1, 2, 0.5, 1, 100)`.execute(db);

const MILLION = 1_000_000;
const tokens = { outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 };
const inputPrice = (price: PriceCall, model: string, provider: string | null = null) =>
  price({ provider, model, inputTokens: MILLION, ...tokens });

test.each([
  // Prices of the organization come first, by full id or by provider and name.
  ['openai/gpt-4o', null, 1],
  ['gpt-4o', 'openai', 1],
  ['gpt-4o-2024-08-06', 'openai', 1],
  ['openai/gpt-4o-2024-08-06', null, 1],
  ['gpt-4o', null, 2.5],
  ['sim/echo', null, 0],
  // Public models match exactly, after slashes, and without maker, revision, date or channel.
  ['gpt-4o-mini', 'openai', 0.15],
  ['gpt-4o-mini-2024-07-18', 'openai', 0.15],
  ['GPT-4.1', 'az.ai.openai', 2],
  ['gpt-4-0613', 'openai', 30],
  ['claude-sonnet-4-5-20250929', 'anthropic', 3],
  ['claude-3-5-haiku-latest', 'anthropic', 0.8],
  ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'aws.bedrock', 3],
  ['claude-opus-4-1@20250805', 'gcp.vertex_ai', 15],
  ['models/gemini-2.5-pro', 'gcp.gemini', 1.25],
  ['publishers/google/models/gemini-2.0-flash-001', 'gcp.vertex_ai', 0.1],
  ['gemini-2.5-pro-preview-05-06', 'gcp.gemini', 1.25],
  ['mistral-large-2411', 'mistral_ai', 2],
  ['openrouter/deepseek/deepseek-chat', null, 0.28],
  // Unknown models have no price.
  ['gpt-4o-mini', 'ollama', null],
  ['ollama/mistral-small', null, null],
  ['gpt-99', 'openai', null],
  ['2024', null, null],
  ['', null, null],
])('model "%s" of provider %s costs %s per million tokens', async (model, provider, expected) => {
  expect(inputPrice(await prices.of(organizationId), model, provider)).toBe(expected);
});

test('a price applies to its own organization only', async () => {
  expect(inputPrice(await prices.of(uuidv7()), 'gpt-4o', 'openai')).toBe(2.5);
});

test('cached tokens have prices of their own', async () => {
  const price = await prices.of(organizationId);
  const call = { provider: null, model: 'claude-sonnet-4', inputTokens: 1_000, outputTokens: 10 };
  expect(price({ ...call, cacheReadInputTokens: 600, cacheCreationInputTokens: 100 })).toBe(0.001605);
});

describe('DRYDOCK_PRICE_LIST', () => {
  async function fileOf(content: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'prices-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'prices.json');
    await writeFile(path, content);
    return path;
  }

  test('replaces the built-in list', async () => {
    const models = { 'acme/Tiny': { input: 7, output: 0 } };
    const path = await fileOf(JSON.stringify({ as_of: '2026-01-01', models }));
    const { priceList } = loadConfig({ DRYDOCK_PRICE_LIST: path }).inference;
    const price = await new ModelPrices(db, priceList).of(uuidv7());
    expect(inputPrice(price, 'tiny')).toBe(7);
    expect(inputPrice(price, 'gpt-4o')).toBeNull();
  });

  test.each([
    ['{', 'cannot be read as JSON'],
    ['{"models": {}}', 'is not a price list: at as_of'],
    ['{"as_of": "2026-01-01", "models": {"tiny": {"input": 1, "output": 1}}}', 'must be <provider>/<name>'],
    ['{"as_of": "2026-01-01", "models": {"a/b": {"input": -1, "output": 1}}}', 'at models.a/b.input'],
  ])('is refused when its content is %s', async (content, message) => {
    const path = await fileOf(content);
    expect(() => loadConfig({ DRYDOCK_PRICE_LIST: path })).toThrow(message);
    expect(() => loadConfig({ DRYDOCK_PRICE_LIST: path })).toThrow('DRYDOCK_PRICE_LIST');
  });

  test('is refused when the file does not exist', () => {
    expect(() => loadConfig({ DRYDOCK_PRICE_LIST: '/nowhere/prices.json' })).toThrow('/nowhere/prices.json');
  });
});
