/** Runs the queries of docs/guides/sql.md over sessions, spans, calls and runtimes that were created through the API. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readBlocks } from './documents/document.ts';
import { startTestServer } from './harness.ts';

const PLACE = '/org/main/ws/main';

const server = await startTestServer();
const { as, owner } = server;

const questions = readBlocks('docs/guides/sql.md').flatMap(
  ({ code }) => /^ask <<'END'\n(.*?)^END$/ms.exec(code)?.[1] ?? [],
);

const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
const int = (key: string, value: number) => ({ key, value: { intValue: String(value) } });
const today = `${new Date().toISOString().slice(0, 10)}T00:00:00`;
const now = Date.now();

const newSpan = (durationMs: number, attributes: object[], more: object = {}) => ({
  traceId: randomUUID().replaceAll('-', ''),
  spanId: randomUUID().replaceAll('-', '').slice(0, 16),
  name: 'span',
  startTimeUnixNano: `${now}000000`,
  endTimeUnixNano: `${now + durationMs}000000`,
  attributes,
  ...more,
});

const tool = (name: string, durationMs: number) =>
  newSpan(durationMs, [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', name)]);

const call = (model: string, input: number, output: number) =>
  newSpan(10, [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.request.model', model),
    int('gen_ai.usage.input_tokens', input),
    int('gen_ai.usage.output_tokens', output),
  ]);

async function addSession(title: string, agent: string, tools: readonly string[]): Promise<string> {
  const id = randomUUID();
  await as(owner).post(`${PLACE}/sessions`, { id, model: 'sim/echo', title, agent });
  const tool_calls = tools.map((name, index) => ({ id: `c${index}`, name, arguments: '{}' }));
  const messages = [
    { id: 'm1', role: 'user', content: 'Go.' },
    { id: 'm2', role: 'assistant', content: '', ...(tools.length > 0 && { tool_calls }) },
  ];
  const response = await as(owner).post(`${PLACE}/sessions/${id}/transcript`, { messages });
  expect(response.status).toBe(201);
  return id;
}

let broken = '';
beforeAll(async () => {
  await addSession('Fine', 'helper', ['bash', 'bash', 'read']);
  broken = await addSession('Broken', 'coder', ['bash']);
  const error = { status: { code: 2, message: 'no such file' } };
  const spans = [
    ...[100, 200, 300].map((ms) => tool('bash', ms)),
    tool('read', 1_000),
    call('acme/large', 100, 20),
    call('acme/large', 50, 5),
    call('acme/small', 7, 1),
    newSpan(5, [text('gen_ai.conversation.id', broken)], error),
    newSpan(5, [text('gen_ai.conversation.id', broken)], error),
  ];
  const pushed = await as(owner).post('/org/main/otel/traces', {
    resourceSpans: [{ scopeSpans: [{ spans }] }],
  });
  expect(pushed).toMatchObject({ status: 200, body: {} });
  for (const name of ['one', 'two'])
    expect((await as(owner).post(`${PLACE}/runtimes`, { name })).status).toBe(201);
});

async function ask(query: string | undefined): Promise<{ names: string[]; rows: unknown[][] }> {
  const { status, body } = await as(owner).post(`${PLACE}/query`, { query });
  expect(status, JSON.stringify(body)).toBe(200);
  return { names: body.columns.map(({ name }: { name: string }) => name), rows: body.rows };
}

test('docs/guides/sql.md has five queries', () => expect(questions).toHaveLength(5));

test('the query returns usage and cost of each model by day', async () => {
  const { names, rows } = await ask(questions[0]);
  expect(names).toEqual(['day', 'model', 'calls', 'tokens', 'cost_usd']);
  const day = expect.stringContaining(today);
  expect(rows).toEqual([
    // The price list has no price for this model.
    [day, 'acme/large', 2, 175, null],
    [day, 'acme/small', 1, 8, null],
  ]);
});

test('the query returns the slowest tools', async () => {
  const { names, rows } = await ask(questions[1]);
  expect(names).toEqual(['tool_name', 'calls', 'p50_ms', 'p95_ms']);
  expect(rows).toEqual([
    ['read', 1, 1_000, 1_000],
    ['bash', 3, 200, 290],
  ]);
});

test('the query returns sessions with errors', async () => {
  const { rows } = await ask(questions[2]);
  expect(rows).toEqual([[broken, 'Broken', 2, 'no such file']]);
});

test('the query returns the tools that each agent calls', async () => {
  const { names, rows } = await ask(questions[3]);
  expect(names).toEqual(['agent', 'tool', 'calls']);
  expect(rows).toEqual([
    ['helper', 'bash', 2],
    ['coder', 'bash', 1],
    ['helper', 'read', 1],
  ]);
});

test('the query returns runtimes by their state', async () => {
  const { rows } = await ask(questions[4]);
  expect(rows).toEqual([['idle', 2, 0]]);
});
