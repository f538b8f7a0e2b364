/** Generates transcripts with everything that clients could have sent from a seed. */
import { Random } from '../fuzz/random.ts';
import type { ImportedMessage } from '../src/sessions/import/imported-session.ts';
import type { StoredSession } from './stored-sessions.ts';

const CALL_IDS = ['a', 'b', 'c', 'a#2'];

const ARGUMENTS = [
  '{}',
  '{ "x": [1, {"y": null}] }',
  '{"b":1,"a":2,"1":3,"b":4}',
  '{"__proto__":{"polluted":true}}',
  '{"_raw":"x"}',
  '{"_raw":"{}"}',
  '{"_raw":1}',
  '{"big":123456789012345678901,"small":1e-400,"huge":1e400,"zero":-0}',
  '{"nul":"\\u0000","half":"\\ud800"}',
  `${'{"d":'.repeat(60)}0${'}'.repeat(60)}`,
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  '',
  'not json',
  '[1]',
  '"text"',
  'null',
  '{"cut": ',
];

const METADATA: readonly Record<string, unknown>[] = [
  { source: 'test', nested: { list: [1, 'two', null] } },
  { reasoning_content: 'let me see', reasoning_effort: 'high' },
  { reasoning_content: null, reasoning_effort: [] },
  { reasoning_effort: 0.5 },
  { context_management: { type: 'compaction', boundary: 'replace', tokens_before: 5 } },
  { context_management: 'none' },
  { drydock: { kind: 'prompt' } },
  { drydock: { kind: 'empty' }, atif: 'mine' },
  { drydock: 'mine' },
  { atif: { llm_call_count: 0 } },
  { atif: { llm_call_count: 3, is_copied_context: true, timestamp: null } },
  { atif: { is_in_step: true } },
  { atif: { result_order: [1, 0] } },
  { atif: { result_order: [0, 0] } },
  { atif: { metrics: { prompt_tokens: 7, logprobs: [-0.5], extra: { a: 1 } } } },
  { atif: { unknown: true } },
  { atif: { subagent_trajectory_ref: [{ trajectory_id: 'nowhere' }] } },
  { atif: { subagent_trajectory_ref: [{ trajectory_path: 'a.json' }], content: null } },
  { atif: { message: [{ type: 'text', text: 'part' }], content: [{ type: 'text', text: 'part' }] } },
  { atif: { observation: { results: [{ source_call_id: 'a', content: 'x' }] } } },
  { atif: { extra: { atif: 1, reasoning_content: 'kept' }, call_extras: [{ took_ms: 5 }, null] } },
  { deep: JSON.parse(`${'['.repeat(58)}${']'.repeat(58)}`) as unknown },
  JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>,
];

const CONTENTS = ['', 'hello', 'two\nlines', '{"json":true}', '\u2028 \u{1F4A5} \uFFFD "quoted"'];

export function randomTranscript(seed: string): StoredSession {
  const random = new Random(seed, 'transcript');
  const messages = Array.from({ length: random.integer(0, 24) }, (_, index) => randomMessage(random, index));
  const promptSeqs = new Set(
    Array.from({ length: random.integer(0, 3) }, () => random.integer(1, messages.length + 1)),
  );
  return {
    title: random.chance(0.5) ? 'A title' : null,
    agent: random.pick([null, 'helper', 'unknown', '']),
    model: 'acme/large',
    labels: random.chance(0.5) ? { team: ['red', 'blue'] } : {},
    tools: random.chance(0.3) ? [{ type: 'function', function: { name: 'run' } }] : null,
    messages,
    prompts: [...promptSeqs].map((from_seq) => ({ from_seq, content: random.pick(['P', 'Q', '']) })),
    compactions: randomCompactions(random, messages.length),
  };
}

function randomMessage(random: Random, index: number): ImportedMessage {
  const role = random.weighted([
    [4, 'assistant' as const],
    [4, 'tool' as const],
    [2, 'user' as const],
    [1, 'system' as const],
  ]);
  const hasCalls = role === 'assistant' ? random.chance(0.6) : random.chance(0.05);
  const hasUsage = role === 'assistant' ? random.chance(0.6) : random.chance(0.05);
  return {
    role,
    content: random.pick(CONTENTS),
    model: role === 'assistant' ? random.pick(['acme/large', 'acme/small', null]) : null,
    created_at: new Date(Date.UTC(2026, 0, 1) + index * 1_234).toISOString(),
    ...(hasCalls && { tool_calls: randomCalls(random) }),
    ...((role === 'tool' ? random.chance(0.85) : random.chance(0.03)) && {
      tool_call_id: random.pick(CALL_IDS),
    }),
    ...(hasUsage && { usage: randomUsage(random) }),
    ...(random.chance(0.5) && { metadata: random.pick(METADATA) }),
  };
}

function randomCalls(random: Random) {
  return Array.from({ length: random.integer(1, 4) }, () => ({
    id: random.pick(CALL_IDS),
    name: random.pick(['run', '']),
    arguments: random.pick(ARGUMENTS),
  }));
}

function randomUsage(random: Random) {
  return {
    input_tokens: random.integer(0, 1_000),
    output_tokens: random.integer(0, 100),
    cache_read_input_tokens: random.pick([0, 7]),
    cache_creation_input_tokens: random.pick([0, 11]),
    cost_usd: random.chance(0.8) ? random.integer(0, 1_000) / 1_000_000 : null,
  };
}

/** Boundaries and summaries both ascend, and a summary comes after its boundary. */
function randomCompactions(random: Random, count: number) {
  const compactions: { up_to_seq: number; summary_seq: number }[] = [];
  let up_to_seq = 0;
  let summary_seq = 0;
  while (random.chance(0.5)) {
    up_to_seq += random.integer(1, 6);
    summary_seq = Math.max(summary_seq, up_to_seq) + random.integer(1, 5);
    if (summary_seq > count) break;
    compactions.push({ up_to_seq, summary_seq });
  }
  return compactions;
}
