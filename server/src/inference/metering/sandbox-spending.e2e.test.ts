/** The spend limit of a sandbox with several concurrent calls. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { answers, sends, startModelProvider, toChunks, toEvent } from '../../../test/model-provider.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { SandboxSpending } from './sandbox-spending.ts';

const server = await startTestServer({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' }, [], { hasSandboxes: true });
const me = server.as(server.owner);
const provider = await startModelProvider();
afterAll(() => provider.close());
const [{ available }] = (await me.get('/org/main/sandbox-providers')).body;
const W = '/org/main/ws/main';

beforeAll(async () => {
  // One dollar per output token.
  const models = [{ name: 'dear', input_price: 0, output_price: 1_000_000 }];
  const local = { name: 'local', kind: 'openai_compatible', base_url: provider.baseUrl, models };
  expect(await me.put('/org/main/inference/providers', { providers: [local] })).toMatchObject({
    status: 200,
  });
});

const spending = new SandboxSpending(server.db);
const organizationId = randomUUID();
const { signal } = new AbortController();
const limited = (limitUsd: number) => ({ sandboxId: randomUUID(), limitUsd, model: null });
const STREAM = { atMostUsd: 0, signal };
const LIMIT = { type: 'usage_limit_exceeded_error' };

async function begin(allowance: ReturnType<typeof limited>, bounds = STREAM) {
  const meter = await spending.begin(organizationId, allowance, bounds);
  if (!meter) throw new Error('There is a limit, so there is a meter.');
  return meter;
}

test('the cost of an ended call counts against streams still in progress', async () => {
  const allowance = limited(10);
  const [first, second] = [await begin(allowance), await begin(allowance)];
  first.note(8);
  first.settle(9);
  first.close();
  second.note(1);
  expect(() => second.note(1.5)).toThrow('spend limit of $10');
  second.close();
});

test('calls whose cost is known at their end wait for each other when together they could exceed the limit', async () => {
  const allowance = limited(10);
  const first = await begin(allowance, { atMostUsd: 20, signal });
  const second = begin(allowance, { atMostUsd: 20, signal });
  const third = begin(allowance);
  first.settle(4);
  first.close();
  const later = await Promise.race([second, third]);
  later.settle(6);
  later.close();
  const [a, b] = await Promise.allSettled([second, third]);
  expect([a.status, b.status].toSorted()).toEqual(['fulfilled', 'rejected']);
  expect([a, b].find(({ status }) => status === 'rejected')).toMatchObject({ reason: LIMIT });
});

test('a waiting call ends when its caller disconnects, and is removed from the account', async () => {
  const allowance = limited(10);
  const first = await begin(allowance, { atMostUsd: 20, signal });
  const leaving = new AbortController();
  const waiting = begin(allowance, { atMostUsd: 0, signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  first.close();
  (await begin(allowance)).close();
});

interface Ran {
  readonly stdout: string;
}

test.skipIf(!available)(
  'concurrent calls of a sandbox cannot exceed its limit, and a stream that reaches it ends with the reason',
  async () => {
    const config = { sandbox: { platform_access: 'inference', spend_limit_usd: 8 } };
    expect(await me.post(`${W}/runtimes`, { key: 'limited', config })).toMatchObject({ status: 201 });
    expect(await me.post(`${W}/runtimes/limited/start`)).toMatchObject({ status: 200 });
    const run = async (command: string): Promise<string> => {
      const { body } = await me.post(`${W}/runtimes/limited/exec`, { command, timeout_seconds: 120 });
      return (body as Ran).stdout;
    };
    const call = (more: object) =>
      `curl -sS -m 100 "$OPENAI_BASE_URL/chat/completions" -H 'content-type: application/json' -d '${JSON.stringify({ model: 'local/dear', messages: [{ role: 'user', content: 'Hi' }], ...more })}'`;
    const usage = { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 };
    provider.always(answers({ usage }));
    const reply = 'word '.repeat(40);
    const chunks = toChunks({ text: reply }, {}).map(toEvent);
    provider.next(answers({ usage }), sends([...chunks, 'data: [DONE]\n\n']));
    expect(await run(call({}))).toContain('chat.completion');
    const streamed = await run(call({ stream: true }));
    expect(streamed).toContain('spend limit of $8');
    expect(streamed).not.toContain('[DONE]');
    expect(await run(call({}))).toContain('spend limit of $8');

    await me.post(`${W}/runtimes/limited/reset`);
    await me.post(`${W}/runtimes/limited/start`);
    const before = provider.requests.length;
    const many = Array.from({ length: 8 }, () => `${call({})} & `).join('');
    expect(await run(`${many} wait`)).toContain('spend limit of $8');
    // Each call costs 3 dollars, so the third one reaches the limit.
    expect(provider.requests.length - before).toBe(3);
    const { rows } = await sql<{ cost_usd: number }>`
      SELECT cost_usd FROM sandbox_spending /* of every organization */ ORDER BY sandbox_id DESC LIMIT 1`.execute(
      server.db,
    );
    expect(rows).toEqual([{ cost_usd: 9 }]);
  },
  4 * WAIT_TIMEOUT_MS,
);
