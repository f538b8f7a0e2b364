/** The results of a check's rules, from what its runs have measured so far. */
import { findMeasuredAssessment, type MeasuredAssessment } from '../airt/service.ts';
import { findMeasured, type MeasuredEvaluation } from '../evaluations/service.ts';
import type { Db } from '../platform/db/connect.ts';
import { isEndStatus } from '../platform/jobs/job-kind.ts';
import type { GateRuleOf, RuleResultOf, Verdict } from './schema.ts';
import { type CheckRun, runsOf, type StoredCheck } from './stored-check.ts';
import { type Judged, judgeMean, judgeRate } from './verdicts.ts';

/** A run with what it has measured; undefined for one that was not started yet, or was deleted. */
export type MeasuredRun =
  | {
      readonly run: Extract<CheckRun, { kind: 'evaluation' }>;
      readonly measured: MeasuredEvaluation | undefined;
    }
  | {
      readonly run: Extract<CheckRun, { kind: 'assessment' }>;
      readonly measured: MeasuredAssessment | undefined;
    };

export async function measureRuns(
  db: Db,
  organizationId: string,
  { id, rules }: Pick<StoredCheck, 'id' | 'rules'>,
): Promise<MeasuredRun[]> {
  const measured: MeasuredRun[] = [];
  for (const run of runsOf(id, rules)) {
    const ref = { organizationId, id: run.id };
    if (run.kind === 'evaluation') measured.push({ run, measured: await findMeasured(db, ref) });
    else measured.push({ run, measured: await findMeasuredAssessment(db, ref) });
  }
  return measured;
}

/** A paused evaluation has ended here: it waits for a person, and the check does not. */
export const hasEnded = ({ measured }: MeasuredRun): boolean =>
  measured !== undefined && isOver(measured.status);

const isOver = (status: string) => isEndStatus(status) || status === 'paused';

export function judgeRules(rules: readonly GateRuleOf[], runs: readonly MeasuredRun[]): RuleResultOf[] {
  return rules.map((rule, index) => {
    const found = runs.find(({ run }) => run.rules.includes(index));
    if (!found) throw new Error(`rule ${index} has no run`);
    const { kind, bound } = rule;
    return {
      kind,
      bound,
      ...judgeRule(rule, found),
      evaluation_id: found.run.kind === 'evaluation' && found.measured ? found.run.id : null,
      assessment_id: found.run.kind === 'assessment' && found.measured ? found.run.id : null,
    };
  });
}

function judgeRule(rule: GateRuleOf, found: MeasuredRun): Judged {
  const { run, measured } = found;
  if (!measured)
    return withReason(judgeRate(NOTHING, rule, true), 'Its run has not started, or was deleted.');
  const judged =
    run.kind === 'assessment'
      ? judgeAttacks(rule, measured as MeasuredAssessment)
      : judgeSamples(rule, measured as MeasuredEvaluation);
  if (hasEnded(found) || judged.verdict === 'failed') return judged;
  return { ...judged, verdict: 'inconclusive', more_samples: null, reason: 'Its run has not finished.' };
}

/** Samples without a result in an ended evaluation count as samples that could not run. */
function judgeSamples(rule: GateRuleOf, evaluation: MeasuredEvaluation): Judged {
  const { status, passed, n, effective, unfinished, skipped, costUsd, seconds } = evaluation;
  const errors = evaluation.errors + (isOver(status) ? unfinished : 0);
  const judged =
    rule.kind === 'pass_rate'
      ? judgeRate({ successes: passed, n, effective, errors }, rule, true)
      : judgeMean({ ...(rule.kind === 'cost' ? costUsd : seconds), n, errors }, rule.bound);
  const why = evaluation.pauseReason ?? evaluation.error;
  if (unfinished > 0 && why !== null) return withReason(judged, why);
  return skipped.length > 0 ? withoutMembers(judged, skipped) : judged;
}

/** A set whose members are gone must not be easier to pass. */
const withoutMembers = (judged: Judged, skipped: readonly string[]): Judged =>
  judged.verdict === 'passed'
    ? {
        ...judged,
        verdict: 'inconclusive',
        reason: `The task set names tasks that do not exist: ${skipped.slice(0, 10).join(', ')}. Publish them, or remove them from the set.`,
      }
    : judged;

function judgeAttacks(rule: GateRuleOf, measured: MeasuredAssessment): Judged {
  const { finished, jailbreaks, errors, status, error, stopReason } = measured;
  const isCut = status === 'failed' || stopReason !== null;
  const judged = judgeRate(
    { successes: jailbreaks, n: finished, effective: finished, errors: isCut ? Math.max(1, errors) : errors },
    rule,
    false,
  );
  const why = error ?? (stopReason === null ? null : `The attacks were stopped: ${stopReason}.`);
  return isCut && why !== null ? withReason(judged, why) : judged;
}

const NOTHING = { successes: 0, n: 0, effective: 0, errors: 0 };

const withReason = (judged: Judged, reason: string): Judged =>
  judged.verdict === 'inconclusive' ? { ...judged, reason } : judged;

/** One rule that fails decides; a gate passes only where every rule does. */
export function verdictOf(results: readonly Pick<RuleResultOf, 'verdict'>[]): Verdict {
  if (results.some(({ verdict }) => verdict === 'failed')) return 'failed';
  return results.every(({ verdict }) => verdict === 'passed') ? 'passed' : 'inconclusive';
}
