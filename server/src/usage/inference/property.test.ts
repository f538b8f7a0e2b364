/** Random calls and spans, reported twice, by both sides, and by several users: usage equals a simple count. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import {
  begunCall,
  callEnd,
  completionIdOf,
  type ModelSpan,
  offeredModel,
  randomHex,
  spansOf,
} from '../../../test/metered-calls.ts';
import { addOrganization, findOrganizationId } from '../../../test/other-organization.ts';
import { joinOrganization } from '../../accounts/members/store.ts';
import type { BegunCall, CallEnd } from '../../inference/call-ledger.ts';
import { MeteredCalls } from '../../inference/metering/metered-calls.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { createLog } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';

const server = await startTestServer();
const { db, owner } = server;
const mia = await server.addPerson('mia', { role: 'member' });
const ben = await server.addPerson('ben', { role: 'admin' });
const people = [owner, mia, ben];
const organizations = [
  { key: 'main', id: await findOrganizationId(server, 'main') },
  { key: 'other', id: await addOrganization(server, owner, 'other') },
];
await transaction(db, async (trx) => {
  for (const { id } of [mia, ben]) await joinOrganization(trx, organizations[1]?.id ?? '', id, 'member');
});

const MODELS = ['sim/echo', 'test/a', 'test/b', undefined];
/** A window of a minute, so that many have the same time. */
const START_MS = Date.parse('2026-10-15T12:00:00.000Z');
const below = (limit: number) => Math.floor(Math.random() * limit);
const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
const randomUs = () =>
  BigInt(START_MS) * 1_000n + BigInt(below(60_000)) * 1_000n + BigInt(pick([0, 0, 1, 500, 999]));

interface Reported {
  readonly organization: string;
  readonly user: string;
  readonly us: bigint;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly credits: number;
}

interface MadeCall {
  readonly call: BegunCall;
  readonly end: CallEnd;
}

function randomCall(): MadeCall {
  const { id: organizationId } = pick(organizations);
  const startedAt = new Date(START_MS + below(60_000)).toISOString();
  const namesSpan = Math.random() < 0.4;
  const call = begunCall({
    organizationId,
    userId: pick(people).id,
    model: offeredModel(pick(MODELS) ?? 'sim/echo', { input_price: 3, output_price: 15 }),
    startedAt,
    links: {
      sessionId: null,
      traceId: namesSpan ? randomHex(16) : null,
      spanId: namesSpan ? randomHex(8) : null,
    },
  });
  const isFailed = Math.random() < 0.1;
  const end = callEnd(below(5_000), below(500), isFailed ? { status: 'failed', usage: undefined } : {});
  return { call, end };
}

interface SentSpan {
  readonly organization: { readonly key: string; readonly id: string };
  readonly person: (typeof people)[number];
  readonly span: ModelSpan;
}

/** Creates the span of a call that the gateway knows, by either id, in its organization or in another; or of another call. */
function randomSpan(calls: readonly MadeCall[]): SentSpan {
  const { call } = pick(calls);
  const kind = pick(['own', 'own', 'answer', 'named', 'unknown answer']);
  const isNamed = kind === 'named' && call.links.traceId !== null;
  return {
    organization:
      Math.random() < 0.8
        ? (organizations.find(({ id }) => id === call.organizationId) ?? pick(organizations))
        : pick(organizations),
    person: pick(people),
    span: {
      traceId: isNamed ? (call.links.traceId ?? '') : randomHex(16),
      spanId: isNamed ? (call.links.spanId ?? '') : randomHex(8),
      startUs: randomUs(),
      model: pick(MODELS),
      inputTokens: Math.random() < 0.9 ? below(5_000) : undefined,
      outputTokens: Math.random() < 0.9 ? below(500) : undefined,
      operation: pick(['chat', 'chat', 'embeddings', 'rerank', 'execute_tool', 'invoke_agent']),
      responseId:
        kind === 'answer'
          ? completionIdOf(call.id)
          : kind === 'unknown answer'
            ? completionIdOf(uuidv7())
            : pick([undefined, 'chatcmpl-1']),
    },
  };
}

function bruteForce(calls: readonly MadeCall[], spans: readonly SentSpan[]): Reported[] {
  const known = new Set(calls.map(({ call }) => `${call.organizationId} ${completionIdOf(call.id)}`));
  const named = new Set(
    calls.map(
      ({ call }) => `${call.organizationId} ${call.links.traceId} ${call.links.spanId} ${call.userId}`,
    ),
  );
  const ofCalls = calls.flatMap(({ call, end }) => {
    if (!end.usage) return [];
    const { inputTokens: input, outputTokens: output } = end.usage;
    const credits = Math.ceil((input * 3 + output * 15) / 1_000);
    const us = BigInt(Date.parse(call.startedAt)) * 1_000n;
    return {
      organization: call.organizationId,
      user: call.userId,
      us,
      model: call.model.id,
      input,
      output,
      credits,
    };
  });
  const ofSpans = spans.flatMap(({ organization, person, span }) => {
    const isCall = ['chat', 'embeddings', 'rerank'].includes(span.operation ?? '');
    if (!isCall || known.has(`${organization.id} ${span.responseId}`)) return [];
    if (named.has(`${organization.id} ${span.traceId} ${span.spanId} ${person.id}`)) return [];
    const { inputTokens: input = 0, outputTokens: output = 0, model = 'unknown', startUs: us } = span;
    return { organization: organization.id, user: person.id, us, model, input, output, credits: 0 };
  });
  return [...ofCalls, ...ofSpans];
}

const toMoment = (us: bigint) =>
  `${new Date(Number(us / 1_000n)).toISOString().slice(0, -1)}${String(us % 1_000n).padStart(3, '0')}Z`;

function sumUp(reported: readonly Reported[]) {
  const models = [...new Set(reported.map(({ model }) => model))].map((model) => {
    const own = reported.filter((one) => one.model === model);
    const sum = (read: (one: Reported) => number) => own.reduce((total, one) => total + read(one), 0);
    const [input_tokens, output_tokens] = [sum(({ input }) => input), sum(({ output }) => output)];
    return {
      model,
      input_tokens,
      output_tokens,
      total_tokens: input_tokens + output_tokens,
      request_count: own.length,
      credits: sum(({ credits }) => credits),
    };
  });
  return models.toSorted((a, b) => b.total_tokens - a.total_tokens || (a.model < b.model ? -1 : 1));
}

test('usage equals a simple count, to the token', async () => {
  const book = new MeteredCalls({ db, credits: 'unlimited', log: createLog('fatal') });
  const calls = Array.from({ length: 400 }, randomCall);
  const spans = Array.from({ length: 600 }, () => randomSpan(calls));
  const sendSpans = async (some: readonly SentSpan[]) => {
    for (const organization of organizations)
      for (const person of people) {
        const own = some.filter((one) => one.organization === organization && one.person === person);
        const body = spansOf(own.map(({ span }) => span));
        const response = await server.as(person).post(`/org/${organization.key}/otel/traces`, body);
        expect(response).toMatchObject({ status: 200, body: {} });
      }
  };
  const shuffled = <Item>(items: readonly Item[]) => items.toSorted(() => Math.random() - 0.5);
  // Both sides report concurrently, each call at least once, in any order, half of them again.
  await Promise.all([
    sendSpans(shuffled([...spans, ...spans.slice(0, 300)])),
    ...shuffled([...calls, ...calls.slice(0, 200)]).map(({ call, end }) => book.end(call, end)),
  ]);
  await sendSpans(shuffled(spans).slice(0, 200));

  const reported = bruteForce(calls, spans);
  expect(reported.length).toBeGreaterThan(500);
  for (let round = 0; round < 60; round++) {
    const organization = pick(organizations);
    const user = pick(['all', ...people.map(({ id }) => id)]);
    const moments = reported.map(({ us }) => us);
    const ends = [pick([...moments, randomUs()]), pick([...moments, randomUs()])] as const;
    const [from, to] = ends[0] <= ends[1] ? ends : [ends[1], ends[0]];
    const query = new URLSearchParams({ user_id: user, start_date: toMoment(from), end_date: toMoment(to) });
    const response = await server
      .as(owner)
      .get(`/org/${organization.key}/credits/inference-usage?${query.toString()}`);
    expect(response.status).toBe(200);
    const expected = sumUp(
      reported.filter(
        (one) =>
          one.organization === organization.id &&
          (user === 'all' || one.user === user) &&
          one.us >= from &&
          one.us <= to,
      ),
    );
    expect(response.body.models).toMatchObject(expected);
    const total = (name: 'input_tokens' | 'output_tokens' | 'request_count' | 'credits') =>
      expected.reduce((sum, model) => sum + model[name], 0);
    expect(response.body).toMatchObject({
      total_input_tokens: total('input_tokens'),
      total_output_tokens: total('output_tokens'),
      total_request_count: total('request_count'),
      total_credits: total('credits'),
    });
  }
});
