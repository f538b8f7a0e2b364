/**
 * Evidence that an attack still works on a later version of its target, or no longer does: checks of gates run attacks and regression
 * tasks again. A finding whose newest evidence shows a fix can be marked as remediated; one that was, and is refuted, opens again.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { successRate } from '../../platform/red-team/scoring/rates.ts';
import type { FindingDetailOf } from '../schema.ts';
import { hasSameTarget, hasTarget, reopenFindings } from './reopen.ts';

/** The data of a finished check of a gate. */
export interface Evidence {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly gateCheckId: string;
  /** What was checked, such as `name@version`. */
  readonly target: string;
  /** The capability of any version, or the model. */
  readonly targetName: string;
  readonly assessmentIds: readonly string[];
  readonly tasks: readonly {
    readonly evaluationId: string;
    readonly name: string;
    readonly version: string;
    readonly finished: number;
    readonly jailbreaks: number;
  }[];
}

/** The finding `n` repeats the attack of `f`: with the same secret, parameters and transforms. */
const IS_SAME_ATTACK = sql<boolean>`(f.request -> 'canary') IS NOT DISTINCT FROM (n.request -> 'canary')
  AND (f.request -> 'params') IS NOT DISTINCT FROM (n.request -> 'params')
  AND (f.request -> 'chains') IS NOT DISTINCT FROM (n.request -> 'chains')`;

/** The run of `n` was not cut short, and made as many trials as that of `f` was allowed to: one lucky trial proves nothing. */
const IS_WHOLE = sql<boolean>`n.status = 'completed' AND a.stop_reason IS NULL AND n.finished_trials > 0
  AND n.finished_trials >= coalesce((f.request ->> 'trials')::integer, 1)`;

/** Runs in the transaction that ends the check. */
export async function recordEvidence(trx: Trx, evidence: Evidence): Promise<void> {
  const { organizationId, workspaceId, gateCheckId, target, targetName } = evidence;
  await sql`
    INSERT INTO airt_remediation_evidence (organization_id, finding_id, gate_check_id, assessment_id, target, finished, jailbreaks)
    SELECT f.organization_id, f.id, ${gateCheckId}, (array_agg(n.assessment_id))[1], ${target}, sum(n.finished_trials),
           sum(n.jailbreak_trials)
      FROM airt_findings AS n
      JOIN airt_assessments AS a ON a.organization_id = n.organization_id AND a.id = n.assessment_id
      JOIN airt_findings AS f ON f.organization_id = n.organization_id AND f.workspace_id = n.workspace_id AND f.id < n.id
       AND f.project_id = n.project_id AND f.attack_name = n.attack_name AND md5(f.goal) = md5(n.goal) AND f.goal = n.goal
       AND f.jailbreak_trials > 0
      JOIN airt_assessments AS b ON b.organization_id = f.organization_id AND b.id = f.assessment_id
     WHERE n.organization_id = ${organizationId} AND n.workspace_id = ${workspaceId}
       AND n.assessment_id = ANY (${[...evidence.assessmentIds]}::uuid[])
       AND ${hasSameTarget('a', 'b')} AND ${IS_SAME_ATTACK} AND (n.jailbreak_trials > 0 OR ${IS_WHOLE})
     GROUP BY f.organization_id, f.id`.execute(trx);
  for (const { evaluationId, name, version, finished, jailbreaks } of evidence.tasks)
    if (finished > 0)
      await sql`
        INSERT INTO airt_remediation_evidence (organization_id, finding_id, gate_check_id, evaluation_id, target, finished, jailbreaks)
        SELECT f.organization_id, f.id, ${gateCheckId}, ${evaluationId}, ${target}, ${finished}, ${jailbreaks}
          FROM airt_regression_tasks AS t
          JOIN airt_findings AS f ON f.organization_id = t.organization_id AND f.id = t.finding_id
          JOIN airt_assessments AS b ON b.organization_id = f.organization_id AND b.id = f.assessment_id
         WHERE t.organization_id = ${organizationId} AND t.task_name = ${name} AND t.task_version = ${version}
           AND f.workspace_id = ${workspaceId} AND ${hasTarget('b', targetName)}
        ON CONFLICT (organization_id, finding_id, gate_check_id) DO UPDATE
           SET finished = airt_remediation_evidence.finished + excluded.finished,
               jailbreaks = airt_remediation_evidence.jailbreaks + excluded.jailbreaks, evaluation_id = excluded.evaluation_id`.execute(
        trx,
      );
  const { rows: refuted } = await sql<{ finding_id: string }>`
    SELECT finding_id FROM airt_remediation_evidence
     WHERE organization_id = ${organizationId} AND gate_check_id = ${gateCheckId} AND jailbreaks > 0`.execute(
    trx,
  );
  await reopenFindings(
    trx,
    organizationId,
    refuted.map(({ finding_id }) => finding_id),
    `The attack succeeded again on ${target}, in check ${gateCheckId} of a gate.`,
  );
}

type Remediation = NonNullable<FindingDetailOf['remediation']>;

interface EvidenceRow {
  readonly gate_check_id: string;
  readonly gate: string | null;
  readonly assessment_id: string | null;
  readonly evaluation_id: string | null;
  readonly target: string;
  readonly finished: number;
  readonly jailbreaks: number;
  readonly created_at: string;
}

/**
 * Reads the newest evidence of the finding: a retest, or a check of a gate.
 * @returns null if there is none
 */
export async function findRemediation(
  db: Db,
  organizationId: string,
  { id, retests }: Pick<FindingDetailOf, 'id' | 'retests'>,
): Promise<Remediation | null> {
  const { rows } = await sql<EvidenceRow>`
    SELECT e.gate_check_id, g.name AS gate, e.assessment_id, e.evaluation_id, e.target, e.finished, e.jailbreaks, e.created_at
      FROM airt_remediation_evidence AS e
      LEFT JOIN gate_checks AS c ON c.organization_id = e.organization_id AND c.id = e.gate_check_id
      LEFT JOIN gates AS g ON g.organization_id = c.organization_id AND g.id = c.gate_id
     WHERE e.organization_id = ${organizationId} AND e.finding_id = ${id}
     ORDER BY e.created_at DESC, e.gate_check_id DESC LIMIT 1`.execute(db);
  const [checked] = rows;
  const retest = retests.find(({ is_fixed }) => is_fixed !== null);
  if (checked && (!retest || checked.created_at > retest.created_at)) {
    const { finished, jailbreaks, ...rest } = checked;
    const after = successRate({ finished, jailbreaks });
    return {
      ...rest,
      is_fixed: jailbreaks === 0,
      after: { ...after, interval: after.interval && { ...after.interval } },
    };
  }
  if (!retest) return null;
  const { assessment_id, target, after, created_at } = retest;
  return {
    gate_check_id: null,
    gate: null,
    assessment_id,
    evaluation_id: null,
    target,
    after,
    is_fixed: retest.is_fixed === true,
    created_at,
  };
}
