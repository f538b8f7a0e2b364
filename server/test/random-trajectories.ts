/** Generates ATIF documents with all features of the format from a seed. */
import { Random } from '../fuzz/random.ts';

type Json = Record<string, unknown>;

const EXTRAS: readonly Json[] = [
  { a: 1, nothing: null, nested: { list: [null, 'x'] } },
  { atif: { llm_call_count: 3 }, reasoning_content: 'elsewhere', reasoning_effort: 1 },
  { context_management: { type: 'pruning', boundary: 'truncate' } },
  { tool_call_id: 'x', usage: {}, role: 'tool' },
  JSON.parse('{"__proto__":{"polluted":true}}') as Json,
];
const PARTS = [
  { type: 'text', text: 'look' },
  { type: 'image', source: { media_type: 'image/png', path: 'images/1.png' } },
];
const TIMESTAMPS = [
  '2026-11-15T01:00:00.000Z',
  '2026-11-15T01:00:00Z',
  '2025-10-16T02:15:00.123456+00:00',
  '2025-10-16T02:15:00+02:00',
];
const ARGUMENTS: readonly Json[] = [
  {},
  { cmd: 'ls', deep: [{ a: null }] },
  { _raw: 'x' },
  { _raw: '{}' },
  { _raw: 1 },
];

export function randomTrajectory(seed: string): Json {
  const random = new Random(seed, 'trajectory');
  const maybe = (chance: number, fields: () => Json) => (random.chance(chance) ? fields() : {});
  const steps = Array.from({ length: random.integer(1, 12) }, (_, index) =>
    randomStep(random, maybe, index + 1),
  );
  return {
    schema_version: 'ATIF-v1.7',
    agent: {
      name: random.pick(['unknown', 'helper', 'x'.repeat(300), '']),
      version: random.pick(['unknown', '1.2.0']),
      ...maybe(0.7, () => ({ model_name: 'acme/large' })),
      ...maybe(0.3, () => ({ tool_definitions: [{ type: 'function', function: { name: 'run' } }] })),
      ...maybe(0.3, () => ({ extra: random.pick(EXTRAS) })),
    },
    steps,
    final_metrics: {
      total_steps: steps.length,
      ...maybe(0.3, () => ({ extra: random.pick(EXTRAS) })),
    },
    ...maybe(0.3, () => ({ notes: 'Some notes' })),
    ...maybe(0.2, () => ({ continued_trajectory_ref: 'next.json' })),
    ...maybe(0.5, () => ({ extra: random.pick(EXTRAS) })),
    subagent_trajectories: [
      {
        trajectory_id: 'sub-1',
        agent: { name: 'reader', version: '1', extra: random.pick(EXTRAS) },
        steps: [{ step_id: 1, source: 'user', message: 'read', extra: random.pick(EXTRAS) }],
      },
    ],
  };
}

type Maybe = (chance: number, fields: () => Json) => Json;

function randomStep(random: Random, maybe: Maybe, step_id: number): Json {
  const source = random.weighted([
    [4, 'agent'],
    [2, 'user'],
    [2, 'system'],
  ] as const);
  const common = {
    step_id,
    ...maybe(0.8, () => ({ timestamp: random.pick(TIMESTAMPS) })),
    ...maybe(0.1, () => ({ is_copied_context: random.chance(0.5) })),
    ...maybe(0.4, () => ({ extra: random.pick(EXTRAS) })),
  };
  if (source === 'system' && random.chance(0.4)) return randomBoundary(random, common);
  if (source === 'agent') return { ...common, ...randomAgentStep(random, maybe) };
  return {
    ...common,
    source,
    message: randomContent(random),
    ...maybe(0.2, () => ({ llm_call_count: random.integer(0, 2) })),
    ...maybe(0.2, () => ({ observation: { results: randomResults(random, []) } })),
  };
}

function randomBoundary(random: Random, { extra, ...common }: Json): Json {
  const results = random.chance(0.5)
    ? [{ content: 'Summary' }]
    : [{ content: [...PARTS] }, ...randomResults(random, [])];
  return {
    ...common,
    source: 'system',
    message: random.pick(['Context compaction performed', 'Compacted']),
    observation: { results },
    extra: {
      ...(extra as Json | undefined),
      context_management: {
        type: 'compaction',
        boundary: 'replace',
        ...(random.chance(0.5) && { tokens_before: 9 }),
      },
    },
  };
}

function randomAgentStep(random: Random, maybe: Maybe): Json {
  const ids = ['c1', 'c2', 'c3'].slice(0, random.integer(0, 3));
  const isOfModel = random.chance(0.7);
  const tool_calls = ids.map((tool_call_id) => ({
    tool_call_id,
    function_name: 'run',
    arguments: random.pick(ARGUMENTS),
    ...maybe(0.3, () => ({ extra: random.pick(EXTRAS) })),
  }));
  const results = randomResults(random, ids);
  return {
    source: 'agent',
    message: randomContent(random),
    ...maybe(0.5, () => ({ model_name: 'acme/small' })),
    ...maybe(0.3, () => ({ reasoning_effort: random.pick(['high', 0.5]) })),
    ...(tool_calls.length > 0 && { tool_calls }),
    ...(results.length > 0 && { observation: { results } }),
    ...(isOfModel && {
      ...maybe(0.5, () => ({ reasoning_content: 'hm' })),
      ...maybe(0.8, () => ({ metrics: randomMetrics(random, maybe) })),
      ...maybe(0.7, () => ({ llm_call_count: random.integer(1, 3) })),
    }),
    ...(!isOfModel && maybe(0.5, () => ({ llm_call_count: 0 }))),
  };
}

function randomMetrics(random: Random, maybe: Maybe): Json {
  return {
    ...maybe(0.9, () => ({ prompt_tokens: random.integer(0, 1_000) })),
    ...maybe(0.9, () => ({ completion_tokens: random.integer(0, 100) })),
    ...maybe(0.6, () => ({ cached_tokens: random.pick([0, 5, 5_000]) })),
    ...maybe(0.6, () => ({ cost_usd: random.pick([0, 0.000_123, -1]) })),
    ...maybe(0.2, () => ({ prompt_token_ids: [1, 2], completion_token_ids: [3], logprobs: [-0.25] })),
    ...maybe(0.5, () => ({
      extra: random.pick([
        { cache_creation_input_tokens: 3 },
        { cache_creation_input_tokens: 'x' },
        ...EXTRAS,
      ]),
    })),
  };
}

const randomContent = (random: Random) =>
  random.chance(0.2) ? [...PARTS] : random.pick(['', 'hello', 'two\nlines']);

/** Results of calls in any order, or of none. */
function randomResults(random: Random, ids: readonly string[]): Json[] {
  return Array.from({ length: random.integer(0, 4) }, () => ({
    ...(ids.length > 0 && random.chance(0.7) && { source_call_id: random.pick(ids) }),
    ...(random.chance(0.8) && { content: randomContent(random) }),
    ...(random.chance(0.2) && {
      subagent_trajectory_ref: [
        random.pick([
          { trajectory_id: 'sub-1', session_id: 's' },
          { trajectory_path: 'sub.json', extra: { a: 1 } },
        ]),
      ],
    }),
    ...(random.chance(0.3) && { extra: random.pick(EXTRAS) }),
  }));
}
