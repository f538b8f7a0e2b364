/** Documents of ATIF as sessions, and back. */
import { describe, expect, test } from 'vitest';
import { findViolations, readFixture } from '../../../test/atif.ts';
import { startTestServer } from '../../../test/harness.ts';
import { randomTrajectory } from '../../../test/random-trajectories.ts';

const server = await startTestServer();
const owner = server.as(server.owner);
const SESSIONS = '/org/main/ws/main/sessions';
const example = readFixture('atif-example.json') as Record<string, unknown>;
const agent = { name: 'a', version: '1' };

async function imported(document: unknown) {
  const { status, body } = await owner.post(`${SESSIONS}/import`, document);
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function exported(id: string) {
  const query = 'format=atif&include_compacted=true';
  const { status, body } = await owner.get(`${SESSIONS}/${id}/trajectory?${query}`);
  expect(status).toBe(200);
  return body;
}

async function transcriptOf(id: string) {
  const { status, body } = await owner.get(`${SESSIONS}/${id}/transcript?include_compacted=true`);
  expect(status).toBe(200);
  return body;
}

/** Imported, and exported as what it must have become. */
async function repaired(steps: object[], more: object = {}) {
  const document = await exported((await imported({ agent, steps, ...more })).id);
  expect(findViolations(document)).toEqual([]);
  return document;
}

const step = (step_id: number, source: string, message: string, more: object = {}) => ({
  step_id,
  source,
  message,
  timestamp: '2026-01-01T00:00:00.000Z',
  ...more,
});
const call = (tool_call_id: string) => ({ tool_call_id, function_name: 'f', arguments: {} });

describe('what cannot be said again as it was', () => {
  const management = { context_management: { type: 'compaction', boundary: 'replace' } };
  const usage = { metrics: { completion_tokens: Number.MAX_SAFE_INTEGER } };

  test('is a boundary without a summary: it has an empty one', async () => {
    const observation = { results: [{ extra: { a: 1 } }, { extra: { b: 2 } }] };
    const { steps } = await repaired([step(1, 'system', 'gone', { observation, extra: management })]);
    expect(steps[0].observation.results).toEqual([{ content: '', extra: { a: 1 } }, { extra: { b: 2 } }]);
  });

  test('is a sum that no number holds: there is none, and the document can be imported again', async () => {
    const document = await repaired([step(1, 'agent', 'a', usage), step(2, 'agent', 'b', usage)]);
    expect(document.final_metrics).not.toHaveProperty('total_completion_tokens');
    expect(await exported((await imported({ ...document, session_id: null })).id)).toMatchObject({
      steps: document.steps,
      final_metrics: document.final_metrics,
    });
  });
});

describe('the example', () => {
  test('comes back as it was', async () => {
    const { id } = await imported(example);
    expect(id).toBe(example['session_id']);
    expect(await exported(id)).toEqual(example);
  });

  test('is a session as if it had been saved and appended here', async () => {
    const { id } = await imported({ ...example, session_id: 'not a uuid' });
    const { session, messages, current_system_prompt } = await transcriptOf(id);
    expect(session).toMatchObject({
      model: 'qwen3-8b',
      agent: 'web-agent',
      title: null,
      origin: 'user',
      visibility: 'private',
      message_count: 7,
      preview_text: 'Find the flag',
      last_message_at: '2026-11-15T01:02:09.000Z',
      usage: {
        compaction_count: 1,
        current_message_count: 4,
        current_input_tokens: 1300 + 1350,
        total_input_tokens: 100 + 1300 + 1350,
        total_output_tokens: 58,
        total_cache_read_input_tokens: 100,
        total_cache_creation_input_tokens: 700,
        total_tool_call_count: 2,
        total_cost_usd: null,
        last_generation_input_tokens: 1350,
      },
    });
    expect(current_system_prompt).toBe('You are ...');
    type Row = { role: string; content: string; tool_calls: unknown; tool_call_id: unknown; era: number };
    expect(messages.map(({ role, content, era }: Row) => [role, content, era])).toEqual([
      ['user', 'Find the flag', 0],
      ['assistant', '', 0],
      ['tool', 'a.txt', 0],
      ['system', 'Summary: listed files; a.txt exists', 1],
      ['assistant', 'delegate', 1],
      ['tool', 'FLAG{x}', 1],
      ['assistant', 'FLAG{x}', 1],
    ]);
    expect(messages[1]).toMatchObject({
      tool_calls: [{ id: 'call_1', name: 'bash', arguments: '{"cmd":"ls"}' }],
      model: 'qwen3-8b',
      metadata: { reasoning_content: 'look around' },
      usage: {
        input_tokens: 100,
        output_tokens: 30,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 700,
        cost_usd: 0.0001,
      },
      created_at: '2026-11-15T01:00:03.000Z',
    });
    expect(messages[2]).toMatchObject({ tool_call_id: 'call_1', metadata: { is_error: false } });
  });

  test('says what holds for it only for as long as nothing is added', async () => {
    const { id } = await imported({ ...example, session_id: null });
    const messages = [
      { role: 'assistant', content: 'more', usage: { input_tokens: 5, output_tokens: 1, cost_usd: 1 } },
    ];
    expect(await owner.post(`${SESSIONS}/${id}/transcript`, { messages })).toMatchObject({ status: 201 });
    const document = await exported(id);
    expect(findViolations(document)).toEqual([]);
    expect(document).toMatchObject({
      agent: example['agent'],
      extra: example['extra'],
      subagent_trajectories: example['subagent_trajectories'],
    });
    expect(document.final_metrics).toEqual({
      total_prompt_tokens: 3555,
      total_completion_tokens: 59,
      total_cached_tokens: 100,
      total_steps: 7,
      extra: { compaction_count: 1 },
    });
  });
});

describe('documents of others', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => `others ${index}`);
  test.each(seeds)('come back as they were: %s', async (seed) => {
    const document = randomTrajectory(seed);
    expect(findViolations(document)).toEqual([]);
    const { id } = await imported(document);
    expect(await exported(id)).toEqual({ ...document, session_id: id, trajectory_id: id });
  });

  test.each(['ATIF-v1.0', 'ATIF-v1.5', 'ATIF-v1.6'])('of version %s become the newest', async (version) => {
    const steps = [step(1, 'user', 'hi'), step(2, 'agent', 'hello', { metrics: { prompt_tokens: 1 } })];
    const document = await repaired(steps, { schema_version: version, session_id: 'run 1' });
    expect(document).toMatchObject({ schema_version: 'ATIF-v1.7', steps });
  });

  test('need not say their version, nor any time', async () => {
    const steps = [{ step_id: 1, source: 'user', message: 'hi' }];
    expect(await repaired(steps)).toMatchObject({ steps });
    expect((await repaired(steps)).steps[0]).not.toHaveProperty('timestamp');
  });

  test('lose what PostgreSQL cannot hold, and nothing else', async () => {
    const odd = 'a\u0000b\ud800';
    const given = [
      step(1, 'user', odd, { extra: { [odd]: [odd] } }),
      step(2, 'agent', '', { tool_calls: [{ ...call(odd), arguments: { [odd]: odd } }] }),
    ];
    const kept = 'a\uFFFDb\uFFFD';
    expect((await repaired(given)).steps).toEqual([
      step(1, 'user', kept, { extra: { [kept]: [kept] } }),
      step(2, 'agent', '', { tool_calls: [{ ...call(kept), arguments: { [kept]: kept } }] }),
    ]);
  });
});

describe('mistakes that can be mended', () => {
  test('steps are numbered anew', async () => {
    const { steps } = await repaired([step(7, 'user', 'a'), step(7, 'user', 'b')]);
    expect(steps).toEqual([step(1, 'user', 'a'), step(2, 'user', 'b')]);
  });

  test('a result of a call of an earlier step moves to that step', async () => {
    const results = [{ source_call_id: 'c', content: 'late' }];
    const { steps } = await repaired([
      step(1, 'agent', '', { tool_calls: [call('c')] }),
      step(2, 'system', 'tick', { observation: { results } }),
    ]);
    expect(steps).toEqual([
      step(1, 'agent', '', { tool_calls: [call('c')], observation: { results } }),
      step(2, 'system', 'tick'),
    ]);
  });

  test('a result of no call becomes a step of its own, and keeps the id', async () => {
    const results = [{ source_call_id: 'x', content: 'lost' }, { content: 'seen' }];
    const { id } = await imported({ agent, steps: [step(1, 'agent', 'a', { observation: { results } })] });
    expect((await transcriptOf(id)).messages).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', content: 'seen', tool_call_id: null },
      { role: 'tool', content: 'lost', tool_call_id: 'x' },
    ]);
    const document = await exported(id);
    expect(findViolations(document)).toEqual([]);
    expect(document.steps).toEqual([
      step(1, 'agent', 'a', { observation: { results: [{ content: 'seen' }] } }),
      step(2, 'system', '', {
        observation: { results: [{ content: 'lost', extra: { drydock: { tool_call_id: 'x' } } }] },
        extra: { drydock: { kind: 'result' } },
      }),
    ]);
  });

  test('what only agents have moves to the extra', async () => {
    const misplaced = { model_name: 'm', reasoning_content: 'hm', metrics: { prompt_tokens: 1 } };
    const { steps } = await repaired([step(1, 'user', 'a', { ...misplaced, extra: { b: 1 } })]);
    expect(steps).toEqual([step(1, 'user', 'a', { extra: { ...misplaced, b: 1 } })]);
  });

  test('a call that is there twice is renamed', async () => {
    const results = [
      { source_call_id: 'c', content: '1' },
      { source_call_id: 'c', content: '2' },
    ];
    const { steps } = await repaired([
      step(1, 'agent', '', { tool_calls: [call('c'), call('c')], observation: { results } }),
    ]);
    expect(steps[0]).toMatchObject({
      tool_calls: [call('c'), { ...call('c#2'), extra: { drydock: { id: 'c' } } }],
      observation: { results: [{ source_call_id: 'c' }, { source_call_id: 'c#2' }] },
    });
  });

  test('a step of no model has nothing of one', async () => {
    const metrics = { prompt_tokens: 3, completion_tokens: 1 };
    const { steps } = await repaired([step(1, 'agent', 'a', { llm_call_count: 0, metrics })]);
    expect(steps[0]).toMatchObject({ llm_call_count: 1, metrics });
  });

  test('a reference that leads nowhere moves to the extra', async () => {
    const subagent_trajectory_ref = [{ session_id: 'run' }];
    const { steps } = await repaired([
      step(1, 'agent', 'a', { observation: { results: [{ content: 'r', subagent_trajectory_ref }] } }),
    ]);
    expect(steps[0].observation.results).toEqual([{ content: 'r', extra: { subagent_trajectory_ref } }]);
  });

  test('a boundary without a summary has an empty one', async () => {
    const extra = { context_management: { type: 'compaction', boundary: 'replace' } };
    const { steps } = await repaired([step(1, 'user', 'a'), step(2, 'system', 'Compacted', { extra })]);
    expect(steps[1]).toEqual(
      step(2, 'system', 'Compacted', { extra, observation: { results: [{ content: '' }] } }),
    );
  });

  test('another count of steps is corrected, unless notes explain it', async () => {
    const final_metrics = { total_steps: 40, total_prompt_tokens: 0 };
    expect(await repaired([step(1, 'user', 'a')], { final_metrics })).toMatchObject({
      final_metrics: { total_steps: 1 },
    });
    const explained = { final_metrics, notes: 'Thirty-nine are elsewhere.' };
    expect(await repaired([step(1, 'user', 'a')], explained)).toMatchObject(explained);
  });
});
