/** The ATIF validator finds the violations that it is meant to find. */
import { describe, expect, test } from 'vitest';
import { findViolations, readFixture } from './atif.ts';

const agent = { name: 'a', version: '1' };
const user = (step_id: number, more: object = {}) => ({ step_id, source: 'user', message: 'hi', ...more });
const agentStep = (more: object) => ({ step_id: 1, source: 'agent', message: '', ...more });
const call = (tool_call_id: string) => ({ tool_call_id, function_name: 'f', arguments: {} });
const boundary = (extra: object, more: object = {}) => ({
  step_id: 1,
  source: 'system',
  message: '',
  extra: { context_management: extra },
  ...more,
});
const replace = { type: 'compaction', boundary: 'replace' };
const summary = { observation: { results: [{ content: 's' }] } };
const sub = (trajectory_id?: string, more: object = {}) => ({
  ...(trajectory_id && { trajectory_id }),
  agent,
  steps: [user(1)],
  ...more,
});
const withRef = (ref: object) =>
  agentStep({ observation: { results: [{ subagent_trajectory_ref: [ref] }] } });

const of = (step: object, more: object = {}) => ({ agent, steps: [step], ...more });

describe('findViolations returns nothing for a valid document', () => {
  test.each([
    ['the example', readFixture('atif-example.json')],
    ['a step', of(user(1))],
    [
      'a result of its call',
      of(agentStep({ tool_calls: [call('c')], observation: { results: [{ source_call_id: 'c' }] } })),
    ],
    ['a boundary', of(boundary(replace, summary))],
    ['a call of no model', of(agentStep({ llm_call_count: 0 }))],
    [
      'a reference to what is embedded',
      of(withRef({ trajectory_id: 's' }), { subagent_trajectories: [sub('s')] }),
    ],
    ['a reference to a file', of(withRef({ trajectory_path: 's.json' }))],
    [
      'another count of steps with a note',
      of(user(1), { final_metrics: { total_steps: 7 }, notes: 'six are elsewhere' }),
    ],
  ])('%s', (_, document) => {
    expect(findViolations(document)).toEqual([]);
  });
});

describe('findViolations names each mistake', () => {
  test.each([
    ['no agent', { steps: [user(1)] }, "$: must have required property 'agent'"],
    ['no step', { agent, steps: [] }, '$/steps: must NOT have fewer than 1 items'],
    ['an unknown key', of(user(1, { seq: 1 })), '$/steps/0: must NOT have additional properties'],
    ['a number as text', of(user(1, { step_id: '1' })), '$/steps/0/step_id: must be integer'],
    [
      'arguments as text',
      of(agentStep({ tool_calls: [{ ...call('c'), arguments: '{}' }] })),
      '$/steps/0/tool_calls/0/arguments: must be object',
    ],
    [
      'a version that is not there',
      of(user(1), { schema_version: 'ATIF-v9' }),
      '$/schema_version: must be equal to one of the allowed values',
    ],
    ['steps from 0', { agent, steps: [user(2)] }, '$.steps[0].step_id: is not 1'],
    ['a gap', { agent, steps: [user(1), user(3)] }, '$.steps[1].step_id: is not 2'],
    ...['model_name', 'reasoning_effort', 'reasoning_content'].map(
      (field) =>
        [
          `${field} of a user`,
          of(user(1, { [field]: 'x' })),
          `$.steps[0].${field}: is for agents only`,
        ] as const,
    ),
    [
      'calls of a user',
      of(user(1, { tool_calls: [call('c')] })),
      '$.steps[0].tool_calls: is for agents only',
    ],
    [
      'metrics of the system',
      of({ ...user(1), source: 'system', metrics: {} }),
      '$.steps[0].metrics: is for agents only',
    ],
    [
      'metrics of no model',
      of(agentStep({ llm_call_count: 0, metrics: {} })),
      '$.steps[0].metrics: is for steps that asked a model',
    ],
    [
      'thoughts of no model',
      of(agentStep({ llm_call_count: 0, reasoning_content: '' })),
      '$.steps[0].reasoning_content: is for steps that asked a model',
    ],
    ['a time that is none', of(user(1, { timestamp: 'now' })), '$.steps[0].timestamp: is no timestamp'],
    [
      'a call twice',
      of(agentStep({ tool_calls: [call('c'), call('c')] })),
      '$.steps[0].tool_calls: has an id twice',
    ],
    [
      'a result of no call',
      of(agentStep({ observation: { results: [{ source_call_id: 'c' }] } })),
      '$.steps[0].observation.results[0].source_call_id: is no call of this step',
    ],
    [
      'a text without text',
      of(user(1, { message: [{ type: 'text' }] })),
      '$.steps[0].message: has a part that is neither text nor image',
    ],
    [
      'an image without source',
      of(agentStep({ observation: { results: [{ content: [{ type: 'image', text: 'x' }] }] } })),
      '$.steps[0].observation.results[0].content: has a part that is neither text nor image',
    ],
    [
      'a boundary of nothing',
      of(boundary({ type: 'compaction' }, summary)),
      '$.steps[0].extra.context_management: has no boundary',
    ],
    ['a boundary without a summary', of(boundary(replace)), '$.steps[0].observation: holds no summary'],
    [
      'a reference by session',
      of(withRef({ session_id: 's' }), { subagent_trajectories: [sub('s')] }),
      '$.steps[0].observation.results[0].subagent_trajectory_ref: leads nowhere',
    ],
    [
      'a reference to nothing',
      of(withRef({ trajectory_id: 't' }), { subagent_trajectories: [sub('s')] }),
      '$.steps[0].observation.results[0].subagent_trajectory_ref: leads nowhere',
    ],
    [
      'an embedded one without id',
      of(user(1), { subagent_trajectories: [sub()] }),
      '$.subagent_trajectories[0].trajectory_id: is missing, or that of another one',
    ],
    [
      'two embedded ones of one id',
      of(user(1), { subagent_trajectories: [sub('s'), sub('s')] }),
      '$.subagent_trajectories[1].trajectory_id: is missing, or that of another one',
    ],
    [
      'a mistake in an embedded one',
      of(user(1), { subagent_trajectories: [sub('s', { steps: [user(2)] })] }),
      '$.subagent_trajectories[0].steps[0].step_id: is not 1',
    ],
    [
      'another count of steps',
      of(user(1), { final_metrics: { total_steps: 2 } }),
      '$.final_metrics.total_steps: is not 1',
    ],
    [
      'another sum',
      of(agentStep({ metrics: { prompt_tokens: 1 } }), { final_metrics: { total_prompt_tokens: 2 } }),
      '$.final_metrics.total_prompt_tokens: is not the sum of the steps',
    ],
    [
      'another cost',
      of(agentStep({ metrics: { cost_usd: 1 } }), { final_metrics: { total_cost_usd: 2 } }),
      '$.final_metrics.total_cost_usd: is not the sum of the steps',
    ],
  ] as const)('%s', (_, document, violation) => {
    expect(findViolations(document)).toContain(violation);
  });
});
