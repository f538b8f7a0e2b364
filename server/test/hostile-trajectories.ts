/** ATIF documents that fit the schema but break the rules, with notes that look like ours; generated from a seed. */
import { Random } from '../fuzz/random.ts';

type Json = Record<string, unknown>;

const USAGE = { input_tokens: 1, output_tokens: 2 };
const BOUNDARY = { type: 'compaction', boundary: 'replace' };
const IDS = ['c1', 'c2', '', 'c1#2'];
const NOTES: readonly unknown[] = [
  ...['prompt', 'message', 'result', 'empty'].map((kind) => ({ kind })),
  ...['assistant', 'tool'].map((role) => ({ role })),
  { kind: 'result', tool_call_id: 'c2' },
  { role: 'user', usage: USAGE },
  { usage: { ...USAGE, cost_usd: 3 } },
  { model: '' },
  { tool_calls: [{ id: 'c1', name: 'n', arguments: 'x' }] },
  { tool_calls: [] },
  { tool_call_id: 'c1' },
  { tool_call_id: '' },
  { metadata: { atif: { is_in_step: true } } },
  { metadata: { drydock: { kind: 'prompt' } } },
  { metadata: { context_management: BOUNDARY } },
  { metadata: { reasoning_content: 'r', reasoning_effort: 2 } },
  { metadata: { openai: { role: 'developer', content: null, tool_calls: [5, { id: 'z' }] } } },
  { metadata: { atif: { content: null, extra: { atif: 1 }, observation: { results: [] } } } },
  { metadata: { atif: { call_extras: [null, { drydock: { id: 'q' } }], result_order: [-1] } } },
  { metadata_json: '{"a":1}' },
  { metadata_json: 'x' },
  { id: 'c1' },
  { title: 't', visibility: 'workspace' },
  { origin: 'training', user_id: 'u', group_id: 'g' },
  5,
  null,
];
const METRICS: readonly Json[] = [
  {},
  { prompt_tokens: -5, cost_usd: 1e300 },
  { prompt_tokens: 3, completion_tokens: Number.MAX_SAFE_INTEGER, cached_tokens: 10 },
];
const CONTENTS = ['', 'hi', [], [{ type: 'text', text: '' }]];
const REFERENCES = [[], [{ session_id: 's' }], [{ trajectory_id: 'nowhere' }], [{ trajectory_path: '' }]];

export function hostileTrajectory(seed: string): Json {
  const random = new Random(seed, 'hostile');
  const model_name = random.pick([undefined, '', 'm']);
  return {
    agent: { name: 'a', version: '1', model_name },
    steps: Array.from({ length: random.integer(1, 8) }, () => hostileStep(random)),
    ...(random.chance(0.3) && { final_metrics: { total_steps: 77, total_prompt_tokens: 4 } }),
    ...hostileExtra(random),
  };
}

function hostileStep(random: Random): Json {
  const list = (most: number, item: () => Json) => Array.from({ length: random.integer(0, most) }, item);
  return {
    step_id: random.integer(1, 9),
    source: random.pick(['agent', 'user', 'system', 'system']),
    message: random.pick(CONTENTS),
    ...(random.chance(0.5) && { tool_calls: list(3, () => hostileCall(random)) }),
    ...(random.chance(0.5) && { observation: { results: list(3, () => hostileResult(random)) } }),
    ...(random.chance(0.3) && { metrics: random.pick(METRICS) }),
    ...(random.chance(0.3) && { llm_call_count: random.integer(0, 1) }),
    ...(random.chance(0.3) && { reasoning_content: 'r' }),
    ...(random.chance(0.2) && { model_name: random.pick(['', 'm', 'x'.repeat(300)]) }),
    ...hostileExtra(random),
  };
}

const hostileCall = (random: Random): Json => ({
  tool_call_id: random.pick(IDS),
  function_name: 'f',
  arguments: random.pick([{}, { _raw: 'x' }, { a: 1e21 }]),
  ...hostileExtra(random),
});

const hostileResult = (random: Random): Json => ({
  ...(random.chance(0.6) && { source_call_id: random.pick(IDS) }),
  ...(random.chance(0.7) && { content: random.pick([...CONTENTS, null]) }),
  ...(random.chance(0.2) && { subagent_trajectory_ref: random.pick(REFERENCES) }),
  ...hostileExtra(random),
});

function hostileExtra(random: Random): Json {
  if (random.chance(0.5)) return {};
  return {
    extra: {
      ...(random.chance(0.7) && { drydock: random.pick(NOTES) }),
      ...(random.chance(0.2) && { context_management: BOUNDARY }),
      ...(random.chance(0.2) && { atif: { is_in_step: true } }),
      ...(random.chance(0.1) && { openai: { role: 'developer' } }),
    },
  };
}
