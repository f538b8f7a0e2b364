/** Imports of ATIF documents, and their exports. */
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

/** Imports a document and exports it again, as the repaired document. */
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

describe('values that an export cannot reproduce', () => {
  const management = { context_management: { type: 'compaction', boundary: 'replace' } };
  const usage = { metrics: { completion_tokens: Number.MAX_SAFE_INTEGER } };

  test('importing a boundary without a summary gives it an empty summary', async () => {
    const observation = { results: [{ extra: { a: 1 } }, { extra: { b: 2 } }] };
    const { steps } = await repaired([step(1, 'system', 'gone', { observation, extra: management })]);
    expect(steps[0].observation.results).toEqual([{ content: '', extra: { a: 1 } }, { extra: { b: 2 } }]);
  });

  test('exporting sums that exceed the range of numbers omits them, and the document can be imported again', async () => {
    const document = await repaired([step(1, 'agent', 'a', usage), step(2, 'agent', 'b', usage)]);
    expect(document.final_metrics).not.toHaveProperty('total_completion_tokens');
    expect(await exported((await imported({ ...document, session_id: null })).id)).toMatchObject({
      steps: document.steps,
      final_metrics: document.final_metrics,
    });
  });
});

describe('the example document', () => {
  test('exporting the imported example returns the same document', async () => {
    const { id } = await imported(example);
    expect(id).toBe(example['session_id']);
    expect(await exported(id)).toEqual(example);
  });

  test('importing the example creates the same session as saving and appending to it', async () => {
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

  test("an imported session exports the document's totals only until messages are appended", async () => {
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

describe('documents from other tools', () => {
  const seeds = Array.from({ length: 60 }, (_, index) => `others ${index}`);
  test.each(seeds)('importing and exporting a document returns the same document: seed %s', async (seed) => {
    const document = randomTrajectory(seed);
    expect(findViolations(document)).toEqual([]);
    const { id } = await imported(document);
    expect(await exported(id)).toEqual({ ...document, session_id: id, trajectory_id: id });
  });

  test.each(['ATIF-v1.0', 'ATIF-v1.5', 'ATIF-v1.6'])(
    'importing a document of version %s and exporting it upgrades it to the newest version',
    async (version) => {
      const steps = [step(1, 'user', 'hi'), step(2, 'agent', 'hello', { metrics: { prompt_tokens: 1 } })];
      const document = await repaired(steps, { schema_version: version, session_id: 'run 1' });
      expect(document).toMatchObject({ schema_version: 'ATIF-v1.7', steps });
    },
  );

  test('importing a document works without a version or timestamps', async () => {
    const steps = [{ step_id: 1, source: 'user', message: 'hi' }];
    expect(await repaired(steps)).toMatchObject({ steps });
    expect((await repaired(steps)).steps[0]).not.toHaveProperty('timestamp');
  });

  test('importing a document loses only the characters that PostgreSQL cannot store', async () => {
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

describe('documents with repairable mistakes', () => {
  test('importing renumbers the steps', async () => {
    const { steps } = await repaired([step(7, 'user', 'a'), step(7, 'user', 'b')]);
    expect(steps).toEqual([step(1, 'user', 'a'), step(2, 'user', 'b')]);
  });

  test('importing moves the result of a call of an earlier step to that step', async () => {
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

  test('importing turns a result without a call into a step of its own, which keeps the id', async () => {
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

  test('importing moves agent-only fields of other steps into their extra', async () => {
    const misplaced = { model_name: 'm', reasoning_content: 'hm', metrics: { prompt_tokens: 1 } };
    const { steps } = await repaired([step(1, 'user', 'a', { ...misplaced, extra: { b: 1 } })]);
    expect(steps).toEqual([step(1, 'user', 'a', { extra: { ...misplaced, b: 1 } })]);
  });

  test('importing renames a call whose id occurs twice', async () => {
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

  test('importing removes model fields from a step without a model', async () => {
    const metrics = { prompt_tokens: 3, completion_tokens: 1 };
    const { steps } = await repaired([step(1, 'agent', 'a', { llm_call_count: 0, metrics })]);
    expect(steps[0]).toMatchObject({ llm_call_count: 1, metrics });
  });

  test('importing moves a dangling reference into the extra', async () => {
    const subagent_trajectory_ref = [{ session_id: 'run' }];
    const { steps } = await repaired([
      step(1, 'agent', 'a', { observation: { results: [{ content: 'r', subagent_trajectory_ref }] } }),
    ]);
    expect(steps[0].observation.results).toEqual([{ content: 'r', extra: { subagent_trajectory_ref } }]);
  });

  test('importing gives a boundary without a summary an empty one', async () => {
    const extra = { context_management: { type: 'compaction', boundary: 'replace' } };
    const { steps } = await repaired([step(1, 'user', 'a'), step(2, 'system', 'Compacted', { extra })]);
    expect(steps[1]).toEqual(
      step(2, 'system', 'Compacted', { extra, observation: { results: [{ content: '' }] } }),
    );
  });

  test('importing corrects a wrong step count unless notes explain it', async () => {
    const final_metrics = { total_steps: 40, total_prompt_tokens: 0 };
    expect(await repaired([step(1, 'user', 'a')], { final_metrics })).toMatchObject({
      final_metrics: { total_steps: 1 },
    });
    const explained = { final_metrics, notes: 'Thirty-nine are elsewhere.' };
    expect(await repaired([step(1, 'user', 'a')], explained)).toMatchObject(explained);
  });
});
