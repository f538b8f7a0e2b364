/** Embeddings with OpenAI's own client, which requests base64 by default. */
import { BadRequestError, InternalServerError, RateLimitError, UnprocessableEntityError } from 'openai';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { describe, expect, test, vi } from 'vitest';
import { CLAUDE_KEY } from '../../../test/anthropic-world.ts';
import { json, useForeignProvider } from '../../../test/foreign-provider.ts';
import { fails, garbage, refusesMore, type Script, stalls } from '../../../test/model-provider.ts';
import { failureOf, PROVIDER_KEY, startOpenAiWorld } from '../../../test/openai-world.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';

const foreign = await useForeignProvider();
const listed = { api_key: CLAUDE_KEY, models: [{ name: 'one', input_price: 1, output_price: 1 }] };
const { server, provider, clientOf, written, writtenLater } = await startOpenAiWorld({}, {}, [
  { ...listed, name: 'gemini', kind: 'google', base_url: `${foreign.url}/v1beta` },
  { ...listed, name: 'claude', kind: 'anthropic', base_url: `${foreign.url}/v1` },
]);
const { embeddings } = clientOf(server.owner.key);
const refusalOf = (request: object) => failureOf(embeddings.create(request as EmbeddingCreateParams));

const toBase64 = (...numbers: number[]) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');

/** Responds with these vectors to any request. */
const vectors =
  (...all: readonly unknown[]): Script =>
  (_, response) => {
    const data = all.map((embedding, index) => ({ object: 'embedding', index, embedding })).toReversed();
    const usage = { prompt_tokens: 9, total_tokens: 9 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', model: 'large', data, usage }));
  };

describe('createEmbeddings with a provider of kind openai_compatible', () => {
  test('passes on the request and the vectors, and meters the call', async () => {
    provider.next(vectors(toBase64(0.5, -1), toBase64(0.25, 2)));
    const list = await embeddings.create({
      model: 'acme/dear/est',
      input: ['a', 'b'],
      dimensions: 2,
      user: 'me',
    });
    expect(list.data.map(({ embedding }) => embedding)).toEqual([
      [0.5, -1],
      [0.25, 2],
    ]);
    expect(list).toMatchObject({ model: 'acme/dear/est', usage: { prompt_tokens: 9, total_tokens: 9 } });
    const sent = provider.requests.at(-1);
    expect(sent?.path).toBe('/v1/embeddings');
    expect(sent?.headers.authorization).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(sent?.body).toEqual({
      model: 'dear/est',
      input: ['a', 'b'],
      dimensions: 2,
      user: 'me',
      encoding_format: 'base64',
    });
    expect(await written()).toMatchObject([
      { status: 'completed', model: 'acme/dear/est', input_tokens: 9, output_tokens: 0, credits: 9 },
    ]);
  });

  test('encodes vectors as requested, whatever encoding the provider sent', async () => {
    provider.next(vectors([0.5, -1]));
    const { data } = await embeddings.create({ model: 'acme/large', input: 'a' });
    expect(data[0]?.embedding).toEqual([0.5, -1]);
    provider.next(vectors(toBase64(0.5, -1)));
    const float = await embeddings.create({ model: 'acme/large', input: 'a', encoding_format: 'float' });
    expect(float.data[0]?.embedding).toEqual([0.5, -1]);
    provider.next(vectors([0.12345678901234568]));
    const response = await server.as(server.owner).post('/org/main/inference/v1/embeddings', {
      model: 'acme/large',
      input: 'a',
    });
    expect(response.body.data[0].embedding).toEqual([0.12345678901234568]);
  });

  test.each([[[1, 2, 3]], [[[1, 2], [3]]]])('passes on token input %j', async (input) => {
    provider.next(vectors(toBase64(1)));
    await embeddings.create({ model: 'acme/large', input });
    expect(provider.requests.at(-1)?.body['input']).toEqual(input);
  });

  test('returns the error of the provider', async () => {
    provider.next(fails(400, 'large is not an embedding model'));
    const refused = await refusalOf({ model: 'acme/large', input: 'a' });
    expect(refused).toBeInstanceOf(BadRequestError);
    expect(refused.message).toContain('large is not an embedding model');
    provider.always(refusesMore('9'));
    expect(await refusalOf({ model: 'acme/large', input: 'a' })).toBeInstanceOf(RateLimitError);
    provider.always(fails(500));
    expect(await refusalOf({ model: 'acme/large', input: 'a' })).toBeInstanceOf(InternalServerError);
    const statuses = (await written()).map(({ status, input_tokens }) => [status, input_tokens]);
    expect(statuses).toEqual([
      ['failed', null],
      ['failed', null],
      ['failed', null],
    ]);
  });

  test.each(['<html>', '{}', '{"data": [5]}', '{"data": [{"embedding": null}]}'])(
    'refuses the response %s',
    async (text) => {
      provider.next(garbage(text));
      const error = await refusalOf({ model: 'acme/large', input: 'a' });
      expect(error).toMatchObject({ status: 502 });
      expect(error.message).toContain('not a list of embeddings');
    },
  );

  test('ends when its client disconnects', async () => {
    provider.next(stalls());
    const controller = new AbortController();
    const count = provider.requests.length;
    const leaving = embeddings.create({ model: 'acme/large', input: 'a' }, { signal: controller.signal });
    await vi.waitUntil(() => provider.requests.length > count, { timeout: WAIT_TIMEOUT_MS, interval: 20 });
    controller.abort();
    await expect(leaving).rejects.toThrow();
    expect(await writtenLater()).toMatchObject([{ status: 'cancelled' }]);
  });
});

describe('createEmbeddings with a provider of kind google', () => {
  test('translates texts and dimensions', async () => {
    foreign.turns.push(json(200, { embeddings: [{ values: [1, 0] }, { values: [0, 1] }] }));
    const list = await embeddings.create({ model: 'gemini/one', input: ['a', 'b'], dimensions: 2 });
    expect(list.data.map(({ embedding }) => embedding)).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(foreign.received[0]?.url).toBe('/v1beta/models/one:batchEmbedContents');
    expect(foreign.received[0]?.body).toMatchObject({
      requests: [{ outputDimensionality: 2, content: { parts: [{ text: 'a' }] } }, {}],
    });
    expect(await written()).toMatchObject([{ status: 'completed', is_estimated: true }]);
  });

  test('splits many texts into several requests', async () => {
    const some = (count: number) =>
      json(200, { embeddings: Array.from({ length: count }, () => ({ values: [1] })) });
    foreign.turns.push(some(100), some(50));
    const input = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    expect((await embeddings.create({ model: 'gemini/one', input })).data).toHaveLength(150);
    expect(foreign.received).toHaveLength(2);
  });

  test('returns the error of the provider, and refuses token input', async () => {
    foreign.turns.push(json(400, { error: { code: 400, message: 'No such model.', status: 'INVALID' } }));
    expect((await refusalOf({ model: 'gemini/one', input: 'a' })).message).toContain('No such model.');
    const error = await refusalOf({ model: 'gemini/one', input: [1, 2] });
    expect(error.message).toContain('Send the texts themselves');
  });
});

describe('createEmbeddings with sim/embedder', () => {
  const embed = async (...input: string[]) => {
    const { data } = await embeddings.create({ model: 'sim/embedder', input, encoding_format: 'float' });
    return data.map(({ embedding }) => embedding);
  };
  const product = (a: readonly number[] = [], b: readonly number[] = []) =>
    a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

  test('returns deterministic unit vectors that are close for similar texts', async () => {
    const texts = [
      'The ship lies in the dock.',
      'A ship lying in its dock',
      'Interest rates rose again',
      '',
      '…',
    ];
    const [ship, other, rates, ...rest] = await embed(...texts);
    expect(await embed(...texts)).toEqual([ship, other, rates, ...rest]);
    for (const vector of [ship, other, rates, ...rest]) {
      expect(vector).toHaveLength(256);
      expect(product(vector, vector)).toBeCloseTo(1, 3);
    }
    expect(product(ship, other)).toBeGreaterThan(0.4);
    expect(product(ship, rates)).toBeLessThan(0.3);
  });

  test('applies dimensions and base64, and counts tokens', async () => {
    const request = { model: 'sim/embedder', input: 'one two three', dimensions: 16 };
    const { data, usage } = await embeddings.create(request);
    const float = await embeddings.create({ ...request, encoding_format: 'float' });
    expect(data[0]?.embedding).toHaveLength(16);
    for (const [index, value] of (float.data[0]?.embedding ?? []).entries())
      expect(data[0]?.embedding[index]).toBeCloseTo(value, 5);
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
    expect(await written()).toMatchObject([{ model: 'sim/embedder', input_tokens: 3, credits: 0 }, {}]);
  });

  test('refuses token input, too many dimensions, and chat requests', async () => {
    const model = 'sim/embedder';
    expect((await refusalOf({ model, input: [1] })).message).toContain('texts, not tokens');
    expect((await refusalOf({ model, input: 'a', dimensions: 5_000 })).message).toContain('1024');
    const { chat } = clientOf(server.owner.key);
    const error = await failureOf(
      chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    );
    expect(error.message).toContain('/embeddings');
  });
});

describe('createEmbeddings refuses', () => {
  test.each(['sim/echo', 'claude/one'])('the model %s, and names an alternative', async (model) => {
    const error = await refusalOf({ model, input: 'a' });
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain(`"${model}" makes no embeddings. Use sim/embedder`);
  });

  test.each([
    [{ input: undefined }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: { text: 'a' } }, 'input'],
    [{ input: [1.5] }, 'input'],
    [{ input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
    [{ encoding_format: 'int8' }, 'encoding_format'],
    [{ dimensions: 0 }, 'dimensions'],
  ])('%j', async (more, field) => {
    const error = await refusalOf({ model: 'sim/embedder', input: 'a', ...more });
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error.message).toContain(field);
    expect(await written()).toEqual([]);
  });

  test('a body of 20 MB', async () => {
    const error = await refusalOf({ model: 'sim/embedder', input: 'x'.repeat(20_000_000) });
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toContain('over 16 MiB');
  });
});
