/** A thousand calls that fail in every way, after which no resources may be left. */
import { request as sendRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  answers,
  dropsAtOnce,
  dropsMidStream,
  fails,
  garbage,
  garbageEvents,
  refusesMore,
  type Script,
  stalls,
  stallsMidStream,
} from './model-provider.ts';
import { hello, startOpenAiWorld } from './openai-world.ts';
import { findOrganizationId } from './other-organization.ts';

const CALLS = 1_000;
const AT_ONCE = 50;

const { server, provider, chatUrl, written } = await startOpenAiWorld({ DRYDOCK_CREDITS: 'enforced' });
const { owner, db } = server;
const organizationId = await findOrganizationId(server, 'main');

const WAYS: readonly Script[] = [
  answers(),
  answers({ usage: { prompt_tokens: -1, completion_tokens: 'many' } }),
  answers({ usage: null }),
  fails(400),
  fails(401),
  fails(504),
  refusesMore('30'),
  garbage(),
  garbageEvents(),
  dropsAtOnce(),
  dropsMidStream(2),
  stalls(),
  stallsMidStream(2),
];

/** Resolves when its connection is closed in any way. */
function ask(n: number): Promise<void> {
  const body = JSON.stringify({ model: 'hasty/large', messages: hello, stream: n % 2 === 0 });
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
    const outgoing = sendRequest(chatUrl, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => undefined).on('close', () => resolve());
    outgoing.on('response', (response) => response.on('error', () => undefined).resume());
    outgoing.end(body);
    if (n % 5 === 0) setTimeout(() => outgoing.destroy(), n % 60);
  });
}

const countOf = (kind: string) => process.getActiveResourcesInfo().filter((name) => name === kind).length;

test('failed calls leave no socket, timer, listener or reservation, and each is recorded once', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const added = await server.as(owner).post('/org/main/credits/adjust', { amount: 100_000_000 });
  expect(added.status).toBe(201);
  let turn = 0;
  provider.always((request, response) => WAYS[turn++ % WAYS.length]?.(request, response));
  await ask(1);
  const timers = countOf('Timeout');

  let next = 0;
  const work = async () => {
    while (next < CALLS) await ask(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await sleep(1_500); // the rest of a response is read for up to a second

  const held = await db
    .selectFrom('credit_reservations')
    .select('reference')
    .where('organization_id', '=', organizationId)
    .execute();
  expect(held).toEqual([]);
  // Idle connections kept for the next call, never more than were used at once.
  expect(provider.openSockets()).toBeLessThanOrEqual(AT_ONCE);
  expect(countOf('Timeout') - timers).toBeLessThanOrEqual(5);
  expect(warnings).toEqual([]);
  process.off('warning', onWarning);

  const calls = await written();
  const left = Math.ceil(CALLS / 5);
  expect(calls.length).toBeGreaterThanOrEqual(CALLS - left);
  expect(calls.length).toBeLessThanOrEqual(CALLS + 1);
  for (const { input_tokens, first_byte_ms } of calls)
    expect(input_tokens === null).toBe(first_byte_ms === null);
  const { body } = await server.as(owner).get('/org/main/credits');
  const charged = calls.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  expect(body).toMatchObject({ balance: 100_000_000 - charged, reserved: 0 });
}, 120_000);
