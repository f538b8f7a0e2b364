/** Spans as sent by the dreadnode client: including pending spans, and with the project named by each span. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { attributesOf, encodeJson, makeSource, makeSpan } from '../../../test/otlp-messages.ts';
import { JSON_TYPE, push } from '../../../test/span-senders.ts';
import type { AnyValue } from '../otlp/model.ts';

const server = await startTestServer();
const { owner } = server;
const W = '/org/main/ws/main';
const client = server.as(owner);
const { id: projectId } = (await client.get(`${W}/projects/default`)).body;

type Attributes = Readonly<Record<string, AnyValue>>;

const ERROR = 2;

/** @returns the id of the trace that contains all of the spans */
async function send(spans: readonly Attributes[], { resource = {}, statusCode = 0 } = {}): Promise<string> {
  const traceId = new Uint8Array(randomBytes(16));
  const sent = spans.map((attributes, index) =>
    makeSpan(index, {
      traceId,
      spanId: new Uint8Array(randomBytes(8)),
      attributes: attributesOf(attributes),
      statusCode,
    }),
  );
  const source = makeSource(attributesOf(resource));
  const response = await push(server, encodeJson([{ source, spans: sent }]), JSON_TYPE);
  expect(response).toMatchObject({ status: 200, body: {} });
  return Buffer.from(traceId).toString('hex');
}

const getTrace = async (id: string) => (await client.get(`${W}/traces/${id}`)).body;

test('pushTraces does not store pending Logfire spans', async () => {
  const trace = await send([
    { 'logfire.span_type': 'span', 'dreadnode.type': 'task' },
    { 'logfire.span_type': 'pending_span', 'dreadnode.type': 'task' },
  ]);
  expect(await getTrace(trace)).toMatchObject({ span_count: 1, span_types: ['task'] });
  const list = (type: string) => client.get(`${W}/traces?span_type=${type}`);
  expect((await list('task')).body).toMatchObject({ total: 1, traces: [{ trace_id: trace }] });
  expect((await list('generation')).body.total).toBe(0);
  expect((await list('nothing')).status).toBe(422);
});

test('pushTraces files spans under the project that they name', async () => {
  for (const project of [projectId, 'default'])
    expect(await getTrace(await send([{ 'dreadnode.project': project }, {}]))).toMatchObject({
      project_ids: [projectId],
      span_count: 2,
    });
  const { body } = await client.get(`${W}/traces?project_id=${projectId}`);
  expect(body.total).toBe(2);
});

test('pushTraces stores spans without a project when they name an unknown one', async () => {
  for (const project of ['no-such-project', 'not a name', randomBytes(40).toString('hex')])
    expect(await getTrace(await send([{ 'dreadnode.project': project }]))).toMatchObject({
      project_ids: [],
      span_count: 1,
    });
});

test('pushTraces prefers the project of the resource to that of the span', async () => {
  const { id } = (await client.post(`${W}/projects`, { name: 'Of the resource' })).body;
  const trace = await send([{ 'dreadnode.project': projectId }], { resource: { 'drydock.project': id } });
  expect(await getTrace(trace)).toMatchObject({ project_ids: [id] });
});

test('getInferenceUsage leaves out generations without a response id, and failed calls without tokens', async () => {
  const usage = async () =>
    (
      await client.get(
        '/org/main/credits/inference-usage?start_date=2026-01-01T00:00:00Z&end_date=2030-01-01T00:00:00Z',
      )
    ).body;
  const before = await usage();
  const trace = await send([
    {
      'dreadnode.type': 'generation',
      'dreadnode.generation.model': 'openai/sim/echo',
      'dreadnode.generation.input_tokens': 21,
      'dreadnode.generation.output_tokens': 2,
    },
  ]);
  expect(await getTrace(trace)).toMatchObject({
    models: ['openai/sim/echo'],
    input_tokens: 21,
    output_tokens: 2,
  });
  const failed = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'nope' };
  await send([failed, { ...failed, 'gen_ai.usage.input_tokens': 0 }], { statusCode: ERROR });
  const { end_date: _, ...same } = before;
  expect(await usage()).toMatchObject(same);
  await send([{ 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'counted' }]);
  await send([{ 'gen_ai.operation.name': 'generation', 'gen_ai.request.model': 'counted' }]);
  expect((await usage()).total_request_count).toBe(before.total_request_count + 2);
});

test('pushTraces refuses JSON without resourceSpans, and accepts an empty object', async () => {
  const send = (body: object) => client.post('/org/main/otel/traces', body);
  expect(await send({ traces: [] })).toMatchObject({
    status: 400,
    body: { type: 'invalid_error', detail: expect.stringContaining('resourceSpans') },
  });
  expect(await send({})).toMatchObject({ status: 200 });
});

test('listTraces accepts page_size as an alias of limit', async () => {
  const { body } = await client.get(`${W}/traces?page_size=2`);
  expect(body).toMatchObject({ limit: 2, page: 1, has_next: true });
  expect(body.traces).toHaveLength(2);
  expect((await client.get(`${W}/traces?page_size=101`)).status).toBe(422);
});

test('listSpans skips "offset" spans in the requested order', async () => {
  const trace = await send([{}, {}, {}, {}, {}]);
  const names = async (query: string) => {
    const { body } = await client.get(`${W}/traces/${trace}/spans?${query}`);
    return [body.items.map(({ name }: { name: string }) => name.at(-1)).join(''), body.next_cursor];
  };
  expect(await names('offset=1&limit=2&order_by=Timestamp&order_dir=ASC')).toEqual([
    '12',
    expect.any(String),
  ]);
  expect(await names('offset=3&limit=2')).toEqual(['34', null]);
  expect(await names('offset=5')).toEqual(['', null]);
  expect(await names('order_by=start_time&order_dir=desc')).toEqual(['43210', null]);
  const [first, cursor] = await names('order_dir=DESC&limit=2');
  expect(first).toBe('43');
  expect(await names(`order_dir=DESC&limit=2&after=${cursor}`)).toEqual(['21', expect.any(String)]);
  expect((await client.get(`${W}/traces/${trace}/spans?after=${cursor}`)).status).toBe(422);
  for (const query of ['offset=-1', 'order_by=name', 'order_dir=up'])
    expect(await client.get(`${W}/traces/${trace}/spans?${query}`)).toMatchObject({
      status: 422,
      body: { errors: [{ loc: ['query', query.split('=')[0]] }] },
    });
});
