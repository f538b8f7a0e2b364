/** Reads the reviews of findings that the judge took for jailbreaks, and computes the judge's precision from them. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import {
  type CorrectedRate,
  calibrateJudge,
  verdictOf,
} from '../../platform/red-team/scoring/calibration.ts';
import { poolCounts, type TrialCounts } from '../../platform/red-team/scoring/rates.ts';
import type { Severity } from '../../platform/red-team/scoring/severity.ts';
import type { FindingType } from '../../platform/red-team/scoring/summary.ts';
import type { Measured } from './measured.ts';
import type { AirtAnalytics } from './schema.ts';

type Calibration = z.output<typeof AirtAnalytics>['calibration'];

interface ReviewedRow {
  readonly attackName: string;
  readonly findingStatus: string;
  readonly severity: Severity;
  readonly runFindingType: FindingType;
  readonly runSeverity: Severity;
}

/** Counts reviews of the whole project whose findings the same judge scored. The rates are those of the assessment, before triage. */
export async function readCalibration(
  db: Db,
  organizationId: string,
  { project_id, judge_model, findings }: Measured,
): Promise<Calibration> {
  const { rows } = await sql<ReviewedRow>`
    SELECT f.attack_name AS "attackName", f.finding_status AS "findingStatus", f.severity,
           f.run_finding_type AS "runFindingType", f.run_severity AS "runSeverity"
      FROM airt_findings AS f
     WHERE f.organization_id = ${organizationId} AND f.project_id = ${project_id} AND f.jailbreak_trials > 0
       AND f.evaluator_model IS NOT DISTINCT FROM ${judge_model}
       AND EXISTS (SELECT FROM airt_finding_reviews AS r
                    WHERE r.organization_id = f.organization_id AND r.finding_id = f.id AND r.user_id IS NOT NULL)`.execute(
    db,
  );
  const reviews = rows.flatMap((row) => {
    const verdict = verdictOf(row);
    return verdict === null ? [] : { attackName: row.attackName, verdict };
  });
  const counts = new Map<string, TrialCounts>();
  for (const [attack, group] of Map.groupBy(findings, ({ attack_name }) => attack_name)) {
    const trials = group.map(({ finished_trials, jailbreak_trials }) => ({
      finished: finished_trials,
      jailbreaks: jailbreak_trials,
    }));
    counts.set(attack, poolCounts(trials));
  }
  const { overall, byAttack, missing } = calibrateJudge(reviews, counts);
  return {
    judge_model,
    reviews: reviews.length,
    missing,
    overall: overall && toRate(overall),
    by_attack: byAttack.map(toRate),
  };
}

const toRate = ({ attackName, reviews, precision, ...rate }: CorrectedRate) => ({
  attack_name: attackName,
  reviews,
  precision,
  precision_interval: rate.precisionInterval && { ...rate.precisionInterval },
  corrected_asr: rate.correctedAsr,
  corrected_interval: rate.correctedInterval && { ...rate.correctedInterval },
});
