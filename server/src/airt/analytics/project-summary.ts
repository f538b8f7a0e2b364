/** The state of a project's red team: open findings by severity, rates, and the trend over assessments. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { findProjectId } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { REJECTED_STATUSES } from '../../platform/red-team/scoring/calibration.ts';
import {
  poolCounts,
  riskScore,
  successRate,
  type TrialCounts,
} from '../../platform/red-team/scoring/rates.ts';
import { SEVERITIES, type Severity } from '../../platform/red-team/scoring/severity.ts';
import type { Place } from '../assessments/store.ts';
import { projectNotFound } from '../findings/store.ts';
import { FINDING_STATES, type FindingState, RUN_STATES, type RunState } from '../schema.ts';
import type { AirtProjectSummary } from './schema.ts';

type Summary = z.output<typeof AirtProjectSummary>;

/** The number of assessments in the trend. */
const MAX_TREND = 50;

export async function getProjectSummary(db: Db, scope: Place, given: string): Promise<Summary> {
  const id = await findProjectId(db, scope, given);
  if (id === undefined) throw projectNotFound(given);
  const { organizationId } = scope;
  const { rows: projects } = await sql<{ key: string; name: string }>`
    SELECT key, name FROM projects WHERE organization_id = ${organizationId} AND id = ${id}`.execute(db);
  const { rows: states } = await sql<{ status: RunState; count: number; last: string | null }>`
    SELECT status, count(*) AS count, max(created_at) AS last FROM airt_assessments
     WHERE organization_id = ${organizationId} AND project_id = ${id} GROUP BY status`.execute(db);
  const findings = await countFindings(db, organizationId, id);
  const open = findings.filter(({ finding_status, has_success }) => finding_status === 'open' && has_success);
  const total = (rows: readonly { readonly count: number }[]) =>
    rows.reduce((sum, { count }) => sum + count, 0);
  const success = successRate(poolCounts(findings));
  return {
    project_id: id,
    project_key: projects[0]?.key ?? given,
    project_name: projects[0]?.name ?? given,
    assessments: toRecord(RUN_STATES, (name) => total(states.filter(({ status }) => status === name))),
    total_findings: total(findings),
    open_findings: toRecord(SEVERITIES, (name) => total(open.filter(({ severity }) => severity === name))),
    finding_statuses: toRecord(FINDING_STATES, (name) =>
      total(findings.filter(({ finding_status }) => finding_status === name)),
    ),
    success,
    risk_score: riskScore(
      open.map(({ severity }) => severity),
      success.asr ?? 0,
    ),
    last_assessment_at:
      states
        .flatMap(({ last }) => last ?? [])
        .toSorted()
        .at(-1) ?? null,
    trend: await listTrend(db, organizationId, id),
  };
}

const toRecord = <Name extends string>(names: readonly Name[], countOf: (name: Name) => number) =>
  Object.fromEntries(names.map((name) => [name, countOf(name)])) as Record<Name, number>;

interface FindingCounts extends TrialCounts {
  readonly finding_status: FindingState;
  readonly severity: Severity;
  readonly has_success: boolean;
  readonly count: number;
}

/** Findings that people rejected count as held, as in analytics. Retests are left out: they measure a finding again, on another target. */
async function countFindings(
  db: Db,
  organizationId: string,
  projectId: string,
): Promise<readonly FindingCounts[]> {
  const { rows } = await sql<FindingCounts>`
    SELECT f.finding_status, f.severity, f.jailbreak_trials > 0 AS has_success, count(*) AS count,
           coalesce(sum(f.finished_trials), 0) AS finished,
           coalesce(sum(f.jailbreak_trials) FILTER (WHERE f.finding_status <> ALL (${[...REJECTED_STATUSES]}::text[])), 0) AS jailbreaks
      FROM airt_findings AS f
      JOIN airt_assessments AS a ON a.organization_id = f.organization_id AND a.id = f.assessment_id
     WHERE f.organization_id = ${organizationId} AND f.project_id = ${projectId} AND f.status IN ('completed', 'failed')
       AND a.organization_id = ${organizationId} AND a.project_id = ${projectId} AND a.retest_of IS NULL
     GROUP BY f.finding_status, f.severity, has_success`.execute(db);
  return rows;
}

interface TrendRow extends TrialCounts {
  readonly assessment_id: string;
  readonly name: string;
  readonly target_model: string | null;
  readonly completed_at: string;
  readonly risk_score: number | null;
}

async function listTrend(db: Db, organizationId: string, projectId: string): Promise<Summary['trend']> {
  const { rows } = await sql<TrendRow>`
    SELECT a.id AS assessment_id, a.name, a.target_model, a.completed_at, f.finished, f.jailbreaks, a.risk_score
      FROM airt_assessments AS a
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(f.finished_trials), 0) AS finished, coalesce(sum(f.jailbreak_trials), 0) AS jailbreaks
         FROM airt_findings AS f WHERE f.organization_id = a.organization_id AND f.assessment_id = a.id) AS f
     WHERE a.organization_id = ${organizationId} AND a.project_id = ${projectId} AND a.completed_at IS NOT NULL
       AND a.retest_of IS NULL
     ORDER BY a.created_at DESC, a.id DESC LIMIT ${MAX_TREND}`.execute(db);
  return rows.toReversed().map(({ finished, jailbreaks, ...point }) => {
    const success = successRate({ finished, jailbreaks });
    return Object.assign(point, { success });
  });
}
