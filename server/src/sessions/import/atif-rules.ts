/** Checks whether a document is valid ATIF. Embedded trajectories are stored unchanged, so they must satisfy every rule. */
import type { Issue } from '../../platform/errors.ts';
import {
  AGENT_ONLY,
  isGiven,
  type ResultOf,
  Step,
  type StepOf,
  TrajectoryFrame,
  type TrajectoryOf,
} from '../trajectory/atif-schema.ts';
import type { DocumentCheck, Loc } from './document-check.ts';

type Issues = Generator<Issue, void, undefined>;

/** @returns undefined when the document is not valid */
export async function readTrajectory(
  check: DocumentCheck,
  given: unknown,
  loc: Loc = [],
): Promise<TrajectoryOf | undefined> {
  const frame = check.read(TrajectoryFrame, given, loc);
  if (!frame) return undefined;
  const embedded: TrajectoryOf[] = [];
  for (const [index, one] of (frame.subagent_trajectories ?? []).entries()) {
    const trajectory = await readTrajectory(check, one, [...loc, 'subagent_trajectories', index]);
    if (trajectory) embedded.push(trajectory);
  }
  const ids = new Set(embedded.map(({ trajectory_id }) => trajectory_id));
  const steps: StepOf[] = [];
  for (const [index, one] of frame.steps.entries()) {
    const place = [...loc, 'steps', index];
    const step = check.read(Step, one, place);
    if (step) steps.push(step);
    const isKept = loc.length > 0;
    for (const issue of step && isKept ? mistakesOfStep(step, index + 1, ids, place) : []) check.add(issue);
    await check.pause();
  }
  for (const issue of mistakesOfIds(embedded, loc)) check.add(issue);
  return { ...frame, steps, subagent_trajectories: frame.subagent_trajectories && embedded };
}

function* mistakesOfIds(embedded: readonly TrajectoryOf[], loc: Loc): Issues {
  const seen = new Set<string>();
  for (const [index, { trajectory_id }] of embedded.entries()) {
    const place = [...loc, 'subagent_trajectories', index, 'trajectory_id'];
    if (!trajectory_id || seen.has(trajectory_id)) {
      yield issue(place, 'must be given, and not be that of another one here');
    }
    seen.add(trajectory_id ?? '');
  }
}

type Ids = ReadonlySet<string | null | undefined>;

function* mistakesOfStep(step: StepOf, number: number, embedded: Ids, place: Loc): Issues {
  if (step.step_id !== number) yield issue([...place, 'step_id'], `must be ${number}`);
  for (const field of step.source === 'agent' ? [] : AGENT_ONLY) {
    if (isGiven(step[field])) yield issue([...place, field], 'is for steps of an agent only');
  }
  const isOfNoModel = step.source === 'agent' && step.llm_call_count === 0;
  for (const field of isOfNoModel ? (['metrics', 'reasoning_content'] as const) : []) {
    if (isGiven(step[field])) yield issue([...place, field], 'is for steps that a model was asked for');
  }
  const calls = new Set<string>();
  for (const [index, { tool_call_id }] of (step.tool_calls ?? []).entries()) {
    const where = [...place, 'tool_calls', index, 'tool_call_id'];
    if (calls.has(tool_call_id)) yield issue(where, 'is the id of another call of this step');
    calls.add(tool_call_id);
  }
  for (const [index, result] of (step.observation?.results ?? []).entries()) {
    yield* mistakesOfResult(result, calls, embedded, [...place, 'observation', 'results', index]);
  }
}

function* mistakesOfResult(
  { source_call_id, subagent_trajectory_ref }: ResultOf,
  calls: Ids,
  embedded: Ids,
  place: Loc,
): Issues {
  if (isGiven(source_call_id) && !calls.has(source_call_id)) {
    yield issue([...place, 'source_call_id'], 'must be the id of a call of this step');
  }
  for (const [index, { trajectory_id, trajectory_path }] of (subagent_trajectory_ref ?? []).entries()) {
    if (trajectory_path || (trajectory_id && embedded.has(trajectory_id))) continue;
    yield issue([...place, 'subagent_trajectory_ref', index], 'must name an embedded trajectory, or a path');
  }
}

const issue = (loc: Loc, msg: string): Issue => ({ loc, msg, type: 'invalid_value' });
