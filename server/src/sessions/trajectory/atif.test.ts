/** Export of transcripts as ATIF documents. */
import { describe, expect, test } from 'vitest';
import { findViolations } from '../../../test/atif.ts';
import { startTestServer } from '../../../test/harness.ts';
import { randomTranscript } from '../../../test/random-transcripts.ts';
import { mainPlace, type StoredSession, say, storeSession } from '../../../test/stored-sessions.ts';

const server = await startTestServer();
const place = await mainPlace(server);
const owner = server.as(server.owner);
const SESSIONS = '/org/main/ws/main/sessions';
const AT = '2026-01-01T00:00:00.000Z';
const STAMP = { created_at: AT };

async function exported(id: string, includeCompacted: boolean) {
  const query = `format=atif&include_compacted=${includeCompacted}`;
  const { status, body } = await owner.get(`${SESSIONS}/${id}/trajectory?${query}`);
  expect(status).toBe(200);
  expect(findViolations(body)).toEqual([]);
  const { session_id, trajectory_id, ...rest } = body;
  expect({ session_id, trajectory_id }).toEqual({ session_id: id, trajectory_id: id });
  return { document: body, rest };
}

async function imported(document: unknown): Promise<string> {
  const { status, body } = await owner.post(`${SESSIONS}/import`, document);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.id;
}

/** Exports a document and checks that importing and exporting it again does not change it. */
async function written(session: StoredSession, includeCompacted = true) {
  const { document, rest } = await exported(await storeSession(server.db, place, session), includeCompacted);
  expect((await exported(await imported(document), true)).rest).toEqual(rest);
  return rest;
}

const usage = (cost_usd: number | null = null) => ({
  input_tokens: 100,
  output_tokens: 30,
  cache_read_input_tokens: 20,
  cache_creation_input_tokens: 3,
  cost_usd,
});

const metrics = (cost_usd?: number) => ({
  prompt_tokens: 123,
  completion_tokens: 30,
  cached_tokens: 20,
  ...(cost_usd !== undefined && { cost_usd }),
  extra: { cache_creation_input_tokens: 3 },
});

const step = (step_id: number, source: string, message: string, more: object = {}) => ({
  step_id,
  timestamp: AT,
  source,
  message,
  ...(source === 'agent' && { model_name: 'acme/large' }),
  ...more,
});

const call = (tool_call_id: string, more: object = {}) => ({
  tool_call_id,
  function_name: 'run',
  arguments: {},
  ...more,
});

const boundary = (step_id: number, content: string, more: object = {}) =>
  step(step_id, 'system', 'Context compaction performed', {
    observation: { results: [{ content }] },
    extra: { context_management: { type: 'compaction', boundary: 'replace' }, ...more },
  });

const at = (messages: NonNullable<StoredSession['messages']>) =>
  messages.map((one) => ({ ...one, ...STAMP }));

describe('an ATIF document', () => {
  test('export writes everything known about the session', async () => {
    const tools = [{ type: 'function', function: { name: 'run' } }];
    const document = await written({
      title: 'A title',
      agent: 'helper',
      labels: { team: ['red'] },
      tools,
      prompts: [{ from_seq: 1, content: 'Be terse.' }],
      messages: at([
        say.user('Which files?'),
        {
          ...say.assistant('Let me see.', ['c1', 'run', '{ "cmd": "ls" }']),
          usage: usage(0.1),
          metadata: { reasoning_content: 'hm', reasoning_effort: 'low', finish_reason: 'tool_calls' },
        },
        { ...say.tool('a\nb', 'c1'), metadata: { is_error: false } },
        { ...say.assistant('Two.'), model: 'acme/small', usage: usage(0.2) },
      ]),
    });
    expect(document).toEqual({
      schema_version: 'ATIF-v1.7',
      agent: { name: 'helper', version: 'unknown', model_name: 'acme/large', tool_definitions: tools },
      steps: [
        { step_id: 1, source: 'system', message: 'Be terse.' },
        step(2, 'user', 'Which files?'),
        step(3, 'agent', 'Let me see.', {
          reasoning_effort: 'low',
          reasoning_content: 'hm',
          tool_calls: [call('c1', { arguments: { cmd: 'ls' } })],
          observation: { results: [{ source_call_id: 'c1', content: 'a\nb', extra: { is_error: false } }] },
          metrics: metrics(0.1),
          llm_call_count: 1,
          extra: { finish_reason: 'tool_calls' },
        }),
        step(4, 'agent', 'Two.', { model_name: 'acme/small', metrics: metrics(0.2), llm_call_count: 1 }),
      ],
      final_metrics: {
        total_prompt_tokens: 246,
        total_completion_tokens: 60,
        total_cached_tokens: 40,
        total_cost_usd: 0.3,
        total_steps: 4,
      },
      extra: { drydock: { title: 'A title', labels: { team: ['red'] } } },
    });
  });

  test('export of a session without messages writes one placeholder step', async () => {
    const empty = await storeSession(server.db, place, {});
    const { document, rest } = await exported(empty, true);
    expect(rest).toEqual({
      schema_version: 'ATIF-v1.7',
      agent: { name: 'unknown', version: 'unknown', model_name: 'acme/large' },
      steps: [{ step_id: 1, source: 'system', message: '', extra: { drydock: { kind: 'empty' } } }],
      final_metrics: {
        total_prompt_tokens: 0,
        total_completion_tokens: 0,
        total_cached_tokens: 0,
        total_cost_usd: 0,
        total_steps: 1,
      },
    });
    const { body } = await owner.get(`${SESSIONS}/${await imported(document)}`);
    expect(body).toMatchObject({ message_count: 0, agent: null, model: 'acme/large' });
  });

  test('export omits tools that are not objects', async () => {
    const id = await storeSession(server.db, place, { tools: ['bash', { name: 'run' }] });
    const { rest } = await exported(id, true);
    expect(rest.agent.tool_definitions).toEqual([{ name: 'run' }]);
  });

  test('export omits the total cost when a generation has none', async () => {
    const { final_metrics } = await written({
      messages: at([
        { ...say.assistant('a'), usage: usage(0.1) },
        { ...say.assistant('b'), usage: usage() },
      ]),
    });
    expect(final_metrics).not.toHaveProperty('total_cost_usd');
  });
});

describe('tool results', () => {
  test('export puts late results beside their calls, in the order of the calls', async () => {
    const { steps } = await written({
      messages: at([
        say.assistant('', ['a'], ['b'], ['c']),
        say.tool('of c', 'c'),
        say.user('and?'),
        say.tool('of a', 'a'),
        say.tool('again of a', 'a'),
      ]),
    });
    expect(steps).toEqual([
      step(1, 'agent', '', {
        tool_calls: [call('a'), call('b'), call('c')],
        observation: {
          results: [
            { source_call_id: 'a', content: 'of a' },
            { source_call_id: 'a', content: 'again of a' },
            { source_call_id: 'c', content: 'of c' },
          ],
        },
      }),
      step(2, 'user', 'and?'),
    ]);
  });

  test('export writes results without a call as steps that keep the call id', async () => {
    const { steps } = await written({ messages: at([say.tool('lost', 'x'), say.tool('found')]) });
    const extra = { drydock: { kind: 'result' } };
    expect(steps).toEqual([
      step(1, 'system', '', {
        extra,
        observation: { results: [{ content: 'lost', extra: { drydock: { tool_call_id: 'x' } } }] },
      }),
      step(2, 'system', '', { extra, observation: { results: [{ content: 'found' }] } }),
    ]);
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ['', { _raw: '' }],
    ['{"a":', { _raw: '{"a":' }],
    ['[1]', { _raw: '[1]' }],
    ['{"id":1234567890123456789}', { _raw: '{"id":1234567890123456789}' }],
    ['{"far":[1e400]}', { _raw: '{"far":[1e400]}' }],
    [
      '{"n":9007199254740992,"f":0.12345678901234567890,"e":1e100}',
      { n: 2 ** 53, f: 0.123_456_789_012_345_68, e: 1e100 },
    ],
    ['{"hash":"1234567890123456789"}', { hash: '1234567890123456789' }],
    ['null', { _raw: 'null' }],
    ['{"_raw":"{}"}', { _raw: '{}' }],
    ['{"a":1,"a":2}', { a: 2 }],
    [`${'['.repeat(70)}${']'.repeat(70)}`, { _raw: `${'['.repeat(70)}${']'.repeat(70)}` }],
  ])('export writes arguments as objects: %s', async (text, expected) => {
    const { steps } = await written({ messages: at([say.assistant('', ['a', 'run', text])]) });
    expect(steps[0].tool_calls[0].arguments).toEqual(expected);
  });

  test('export keeps a key named __proto__', async () => {
    const { steps } = await written({
      messages: at([say.assistant('', ['a', 'run', '{"__proto__":{"x":1}}'])]),
    });
    expect(JSON.stringify(steps[0].tool_calls[0].arguments)).toBe('{"__proto__":{"x":1}}');
  });
});

describe('agent-only fields', () => {
  test('export notes agent-only fields of other messages in the extra', async () => {
    const tool_calls = [{ id: 'a', name: 'run', arguments: 'x' }];
    const { steps, final_metrics } = await written({
      messages: at([{ ...say.user('u'), usage: usage(1), tool_calls, metadata: { reasoning_content: 'r' } }]),
    });
    expect(steps).toEqual([
      step(1, 'user', 'u', { extra: { reasoning_content: 'r', drydock: { tool_calls, usage: usage(1) } } }),
    ]);
    expect(final_metrics).toMatchObject({ total_prompt_tokens: 0, total_cost_usd: 0 });
  });
});

describe('system steps', () => {
  test('export marks system steps as prompt or message where that is ambiguous', async () => {
    const { steps } = await written({
      prompts: [{ from_seq: 3, content: 'New prompt' }],
      messages: at([say.system('first'), say.system('second'), say.user('u')]),
    });
    expect(steps).toEqual([
      step(1, 'system', 'first', { extra: { drydock: { kind: 'message' } } }),
      step(2, 'system', 'second'),
      { step_id: 3, source: 'system', message: 'New prompt', extra: { drydock: { kind: 'prompt' } } },
      step(4, 'user', 'u'),
    ]);
  });

  test('export does not treat a message as a boundary because of similar metadata', async () => {
    const context_management = { type: 'compaction', boundary: 'replace' };
    const { steps } = await written({
      messages: at([say.user('u'), { ...say.system('s'), metadata: { context_management } }]),
    });
    expect(steps[1]).toEqual(
      step(2, 'system', 's', { extra: { drydock: { metadata: { context_management } } } }),
    );
  });
});

describe('compactions', () => {
  const session: StoredSession = {
    prompts: [
      { from_seq: 1, content: 'Old prompt' },
      { from_seq: 4, content: 'Prompt' },
    ],
    messages: at([
      say.user('1'),
      { ...say.assistant('2', ['a']), usage: usage(0.5) },
      say.tool('3', 'a'),
      say.user('4'),
      {
        ...say.assistant('Summary'),
        usage: usage(0.25),
        metadata: { context_management: { tokens_before: 9 } },
      },
      say.tool('late', 'a'),
      { ...say.assistant('7'), usage: usage(0.125) },
    ]),
    compactions: [{ up_to_seq: 3, summary_seq: 5 }],
  };
  const summarized = (step_id: number) => ({
    ...boundary(step_id, 'Summary'),
    extra: {
      context_management: { type: 'compaction', boundary: 'replace', tokens_before: 9 },
      drydock: { role: 'assistant', model: 'acme/large', usage: usage(0.25) },
    },
  });

  test('export writes a compaction at its boundary, before the messages that were kept', async () => {
    const { steps, final_metrics } = await written(session);
    expect(steps).toEqual([
      { step_id: 1, source: 'system', message: 'Old prompt' },
      step(2, 'user', '1'),
      step(3, 'agent', '2', {
        tool_calls: [call('a')],
        observation: {
          results: [
            { source_call_id: 'a', content: '3' },
            { source_call_id: 'a', content: 'late' },
          ],
        },
        metrics: metrics(0.5),
        llm_call_count: 1,
      }),
      summarized(4),
      { step_id: 5, source: 'system', message: 'Prompt', extra: { drydock: { kind: 'prompt' } } },
      step(6, 'user', '4'),
      step(7, 'agent', '7', { metrics: metrics(0.125), llm_call_count: 1 }),
    ]);
    expect(final_metrics).toMatchObject({
      total_cost_usd: 0.625,
      total_steps: 7,
      extra: { compaction_count: 1 },
    });
  });

  test('export leaves out compacted messages unless they are requested', async () => {
    const { steps, final_metrics } = await written(session, false);
    expect(steps).toEqual([
      { step_id: 1, source: 'system', message: 'Prompt' },
      summarized(2),
      step(3, 'user', '4'),
      step(4, 'system', '', {
        extra: { drydock: { kind: 'result' } },
        observation: { results: [{ content: 'late', extra: { drydock: { tool_call_id: 'a' } } }] },
      }),
      step(5, 'agent', '7', { metrics: metrics(0.125), llm_call_count: 1 }),
    ]);
    expect(final_metrics).toMatchObject({
      total_cost_usd: 0.125,
      total_steps: 5,
      extra: { compaction_count: 1 },
    });
  });
});

describe('export of random transcripts is valid and reversible', () => {
  test.each(Array.from({ length: 60 }, (_, index) => `atif ${index}`))('%s', async (seed) => {
    const id = await storeSession(server.db, place, randomTranscript(seed));
    const whole = await exported(id, true);
    const copy = await imported(whole.document);
    expect((await exported(copy, true)).rest).toEqual(whole.rest);

    const current = await exported(id, false);
    const copyOfCurrent = await imported(current.document);
    expect((await exported(copyOfCurrent, false)).rest).toEqual(current.rest);
    expect((await exported(copyOfCurrent, true)).rest).toEqual(current.rest);
  });
});
