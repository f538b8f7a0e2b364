/**
 * Calls during which the database becomes unavailable: their callers get an error, and each call is in the ledger once the database is
 * back.
 */
import { expect, test } from 'vitest';
import { sends, toChunks, toEvent } from '../../../test/model-provider.ts';
import { large, startOpenAiWorld, whileUnwritable } from '../../../test/openai-world.ts';
import { type PostgresProxy, startPostgresProxy } from '../../../test/postgres-proxy.ts';

let proxy: PostgresProxy | undefined;
const { server, provider, chatUrl, written, writtenLater } = await startOpenAiWorld(
  {},
  {
    reachDatabase: async (url) => {
      proxy = await startPostgresProxy(url);
      return proxy.url;
    },
  },
);
const { owner, db } = server;

const leave = (isAway: boolean) => {
  if (!proxy) throw new Error('there is a proxy');
  proxy.isAway = isAway;
  if (isAway) proxy.cutAll();
};

const ask = (isStreamed: boolean) =>
  fetch(chatUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...large, stream: isStreamed }),
  });

/**
 * Responds while the database is unavailable.
 * @param backAfterMs when the database is back, counted from then: a busy machine may take longer than that to reach the provider
 */
const respondsWithoutDatabase = (backAfterMs?: number) =>
  provider.next((request, response) => {
    leave(true);
    if (backAfterMs !== undefined) setTimeout(() => leave(false), backAfterMs);
    const chunks = toChunks({}, { stream_options: { include_usage: true } }).map(toEvent);
    const whole = {
      choices: [{ message: { content: 'Hi' } }],
      usage: { prompt_tokens: 7, completion_tokens: 5 },
    };
    const script = request.body.stream
      ? sends([...chunks, 'data: [DONE]\n\n'])
      : sends([JSON.stringify(whole)], { 'content-type': 'application/json' });
    script(request, response);
  });

test.each([true, false])(
  'createChatCompletion returns a final error when the call cannot be stored, and stores it when the database is back (stream: %s)',
  async (isStreamed) => {
    respondsWithoutDatabase();
    const count = provider.requests.length;
    const response = await ask(isStreamed);
    const text = await response.text();
    expect(text).toContain('"code":500');
    expect(text).not.toContain('[DONE]');
    if (!isStreamed) {
      expect([response.status, response.headers.get('x-should-retry')]).toEqual([500, 'false']);
      expect(text).not.toContain('choices');
    }
    expect(provider.requests).toHaveLength(count + 1);
    expect(await written()).toEqual([]);
    leave(false);
    expect(await writtenLater()).toMatchObject([
      { status: 'completed', is_streamed: isStreamed, input_tokens: 7, output_tokens: 5 },
    ]);
  },
);

test.each([true, false])(
  'createChatCompletion succeeds despite a short database outage (stream: %s)',
  async (isStreamed) => {
    respondsWithoutDatabase(300);
    const response = await ask(isStreamed);
    expect([response.status, (await response.text()).includes('"code"')]).toEqual([200, false]);
    expect(await written()).toMatchObject([{ status: 'completed', input_tokens: 7 }]);
  },
);

test('createChatCompletion stores a call once when the connection was cut during the write and the write is repeated', async () => {
  let asking: Promise<Response> | undefined;
  await whileUnwritable(db, async () => {
    const count = provider.requests.length;
    asking = ask(false);
    await expect.poll(() => provider.requests.length).toBe(count + 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy?.cutAll(); // The statement keeps waiting in PostgreSQL.
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  expect((await asking)?.status).toBe(200);
  expect(await written()).toMatchObject([{ status: 'completed', input_tokens: 7, credits: 1 }]);
});
