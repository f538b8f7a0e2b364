/** Validates ATIF documents: by the schema of 1.7, and by the rules that no schema can express. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSchema } from './json-schema.ts';

/** Loose on purpose: a validated document may have any shape. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Node = Record<string, Json | undefined>;

export const readFixture = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')) as Json;

const fitsSchema = await compileSchema(readFixture('atif-v1.7.schema.json') as object);

/** @returns one line for each mistake, with its location; none for a valid document */
export function findViolations(document: unknown): string[] {
  const misfits = fitsSchema(document);
  return misfits.length > 0 ? misfits : violationsOfTrajectory(document as Node, '$');
}

const isGiven = (value: unknown) => value !== undefined && value !== null;
const listOf = (value: Json | undefined) => (Array.isArray(value) ? (value as unknown as Node[]) : []);

function violationsOfTrajectory(trajectory: Node, place: string): string[] {
  const steps = listOf(trajectory['steps']);
  const embedded = listOf(trajectory['subagent_trajectories']);
  const ids = embedded.map((one) => one['trajectory_id']);
  const found = steps.flatMap((step, index) =>
    violationsOfStep(step, index, new Set(ids), `${place}.steps[${index}]`),
  );
  found.push(...violationsOfTotals(trajectory, steps, `${place}.final_metrics`));
  for (const [index, one] of embedded.entries()) {
    const inner = `${place}.subagent_trajectories[${index}]`;
    const isUnique = isGiven(ids[index]) && ids.indexOf(ids[index]) === index;
    if (!isUnique) found.push(`${inner}.trajectory_id: is missing, or that of another one`);
    found.push(...violationsOfTrajectory(one, inner));
  }
  return found;
}

const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;

function violationsOfStep(
  step: Node,
  index: number,
  embedded: ReadonlySet<unknown>,
  place: string,
): string[] {
  const found: string[] = [];
  const isAgent = step['source'] === 'agent';
  if (step['step_id'] !== index + 1) found.push(`${place}.step_id: is not ${index + 1}`);
  for (const field of isAgent ? [] : AGENT_ONLY) {
    if (isGiven(step[field])) found.push(`${place}.${field}: is for agents only`);
  }
  for (const field of isAgent && step['llm_call_count'] === 0 ? ['metrics', 'reasoning_content'] : []) {
    if (isGiven(step[field])) found.push(`${place}.${field}: is for steps that asked a model`);
  }
  if (typeof step['timestamp'] === 'string' && !TIMESTAMP.test(step['timestamp'])) {
    found.push(`${place}.timestamp: is no timestamp`);
  }
  found.push(...violationsOfContent(step['message'], `${place}.message`));
  const calls = listOf(step['tool_calls']).map((call) => call['tool_call_id']);
  if (new Set(calls).size < calls.length) found.push(`${place}.tool_calls: has an id twice`);
  const results = listOf((step['observation'] as Node | undefined)?.['results']);
  for (const [at, result] of results.entries()) {
    found.push(
      ...violationsOfResult(result, new Set(calls), embedded, `${place}.observation.results[${at}]`),
    );
  }
  return [...found, ...violationsOfCompaction(step, results, place)];
}

function violationsOfResult(
  result: Node,
  calls: ReadonlySet<unknown>,
  embedded: ReadonlySet<unknown>,
  place: string,
): string[] {
  const { source_call_id } = result;
  const isOfStep = !isGiven(source_call_id) || calls.has(source_call_id);
  return [
    ...(isOfStep ? [] : [`${place}.source_call_id: is no call of this step`]),
    ...violationsOfContent(result['content'], `${place}.content`),
    ...listOf(result['subagent_trajectory_ref'])
      .filter((ref) => !isGiven(ref['trajectory_path']) && !embedded.has(ref['trajectory_id']))
      .map(() => `${place}.subagent_trajectory_ref: leads nowhere`),
  ];
}

function violationsOfContent(content: Json | undefined, place: string): string[] {
  return listOf(content)
    .filter(({ type, text, source }) =>
      type === 'text' ? !isGiven(text) || isGiven(source) : !isGiven(source) || isGiven(text),
    )
    .map(() => `${place}: has a part that is neither text nor image`);
}

/** A reader that starts after a boundary must learn what replaces the part before it. */
function violationsOfCompaction(step: Node, results: readonly Node[], place: string): string[] {
  const management = (step['extra'] as Node | undefined)?.['context_management'] as Node | undefined;
  if (step['source'] !== 'system' || management?.['type'] !== 'compaction') return [];
  const isSummarized = results.some(({ content }) => isGiven(content));
  return [
    ...(management['boundary'] === 'replace' ? [] : [`${place}.extra.context_management: has no boundary`]),
    ...(isSummarized ? [] : [`${place}.observation: holds no summary`]),
  ];
}

const TOTALS = {
  total_prompt_tokens: 'prompt_tokens',
  total_completion_tokens: 'completion_tokens',
  total_cached_tokens: 'cached_tokens',
  total_cost_usd: 'cost_usd',
} as const;

function violationsOfTotals({ final_metrics, notes }: Node, steps: readonly Node[], place: string): string[] {
  const totals = (final_metrics ?? {}) as Node;
  const { total_steps } = totals;
  const isCounted = !isGiven(total_steps) || total_steps === steps.length || isGiven(notes);
  const wrong = Object.entries(TOTALS).filter(([total, figure]) => {
    const figures = steps.map(({ metrics }) => Number((metrics as Node | undefined)?.[figure] ?? 0));
    const sum = figures.reduce((a, b) => a + b, 0);
    return isGiven(totals[total]) && Math.abs(Number(totals[total]) - sum) > 1e-9;
  });
  return [
    ...(isCounted ? [] : [`${place}.total_steps: is not ${steps.length}`]),
    ...wrong.map(([total]) => `${place}.${total}: is not the sum of the steps`),
  ];
}
