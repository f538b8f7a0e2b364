/** Reads everything that a report says, once for all formats. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { toCanonicalJson } from '../../platform/canonical-json.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import { findAttack } from '../../platform/red-team/attacks/catalogue.ts';
import { REJECTED_STATUSES } from '../../platform/red-team/scoring/calibration.ts';
import { SEVERITIES, type Severity } from '../../platform/red-team/scoring/severity.ts';
import type { FindingType } from '../../platform/red-team/scoring/summary.ts';
import { getAnalytics } from '../analytics/analytics.ts';
import type { AirtAnalytics } from '../analytics/schema.ts';
import type { AssessmentOf } from '../assessments/schema.ts';
import { getAssessment, type Place } from '../assessments/store.ts';
import { readTargetConfig } from '../assessments/target-config.ts';
import { readExecution } from '../ended.ts';
import { listReviews } from '../findings/reviews.ts';
import type { AgentActionsOf, FindingDetailOf, FindingState } from '../schema.ts';
import type { StoredExecution } from '../stored-run.ts';
import { maskUrl } from '../without-secrets.ts';
import { cutText } from './cut-text.ts';

/** Characters of each text: goals, notes, prompts, responses. */
const SHOWN = 2_000;
/** Reviews that a finding shows, the newest ones. */
const MAX_REVIEWS = 20;
/** Findings that are shown with their best trial and reviews. */
const MAX_WORST = 10;
/** An assessment that the server runs has no more findings than this. */
const MAX_FINDINGS = 5_000;

/** A finding in which an attack succeeded, in full or in part. */
export interface ReportFinding {
  readonly id: string;
  readonly attack_name: string;
  readonly goal: string;
  readonly goal_sha256: string;
  readonly goal_category: string | null;
  readonly severity: Severity;
  readonly original_severity: string | null;
  readonly finding_status: FindingState;
  readonly finding_type: FindingType;
  readonly best_score: number | null;
  readonly threshold: number;
  readonly finished_trials: number;
  readonly jailbreak_trials: number;
  readonly compliance_tags: Readonly<Record<string, readonly string[]>> | null;
  readonly notes: string | null;
}

/** The best trial of a finding. Its texts are cut. */
export interface ReportTrial {
  readonly finding_id: string;
  readonly trial_index: number;
  readonly score: number;
  readonly transforms_applied: readonly string[];
  readonly candidate: string;
  readonly transformed_prompt: string;
  readonly response: string;
  readonly judge_reasoning: string;
  readonly actions: AgentActionsOf | null;
}

export interface WorstFinding extends ReportFinding {
  /** null where the trial is gone. */
  readonly best_trial: ReportTrial | null;
  readonly reviews: FindingDetailOf['review_events'];
}

/** What was attacked. */
export interface ReportTarget {
  readonly kind: 'model' | 'http' | 'agent';
  /** A model, a URL without its credentials, or `name@version` of a capability. */
  readonly name: string;
  readonly model: string | null;
  readonly agent: string | null;
}

/** An attack as it was run. */
export interface ReportAttack {
  readonly name: string;
  readonly summary: string | null;
  readonly paper: { readonly title: string; readonly url: string } | null;
  readonly goals: number;
  readonly trials: number;
  readonly min_threshold: number;
  readonly max_threshold: number;
}

export interface ReportData {
  readonly generatedAt: string;
  readonly serverVersion: string;
  readonly assessment: AssessmentOf;
  readonly target: ReportTarget;
  /** null for a run of a client. */
  readonly execution: StoredExecution | null;
  /** SHA-256 of the canonical JSON (RFC 8785) of what was given; null where nothing was. */
  readonly digests: { readonly attack_manifest: string | null; readonly target_config: string | null };
  readonly attacks: readonly ReportAttack[];
  readonly goals: number;
  readonly analytics: z.output<typeof AirtAnalytics>;
  /** Sorted by severity, then by score. */
  readonly findings: readonly ReportFinding[];
  /** The first of them that no reviewer rejected. */
  readonly worst: readonly WorstFinding[];
}

export async function readReportData(
  db: Db,
  scope: Place,
  id: string,
  serverVersion: string,
): Promise<ReportData> {
  const ref = { organizationId: scope.organizationId, id };
  const assessment = await getAssessment(db, scope, id);
  const execution = await readExecution(db, ref);
  const findings = await listSucceeded(db, ref);
  const worst = findings
    .filter(({ finding_status }) => !REJECTED_STATUSES.has(finding_status))
    .slice(0, MAX_WORST);
  return {
    generatedAt: new Date().toISOString(),
    serverVersion,
    assessment,
    target: describeTarget(assessment, execution),
    execution,
    digests: {
      attack_manifest: digestOf(assessment.attack_manifest),
      target_config: digestOf(assessment.target_config),
    },
    attacks: await listAttacks(db, ref),
    goals: await countGoals(db, ref),
    analytics: await getAnalytics(db, ref),
    findings,
    worst: await addEvidence(db, ref.organizationId, worst),
  };
}

function describeTarget(
  { target_config, target_model }: Pick<AssessmentOf, 'target_config' | 'target_model'>,
  execution: StoredExecution | null,
): ReportTarget {
  const { kind, config } = readTargetConfig(target_config);
  const model = execution?.targetModel ?? target_model;
  if (kind === 'http') return { kind, name: maskUrl(config.url), model, agent: null };
  if (kind === 'model') return { kind, name: model ?? 'not named', model, agent: null };
  const { name, version } = execution?.agent?.capability ?? config.capability;
  return { kind, name: `${name}@${version}`, model, agent: execution?.agent?.name ?? config.agent ?? null };
}

const digestOf = (value: unknown) =>
  value === null ? null : createHash('sha256').update(toCanonicalJson(value)).digest('hex');

const SEVERITY_RANK = sql`array_position(ARRAY[${sql.join(SEVERITIES.map((name) => sql.lit(name)))}], severity)`;

async function listSucceeded(db: Db, { organizationId, id }: JobRef): Promise<ReportFinding[]> {
  const { rows } = await sql<ReportFinding>`
    SELECT id, attack_name, left(goal, ${SHOWN + 1}) AS goal, encode(sha256(convert_to(goal, 'UTF8')), 'hex') AS goal_sha256,
           goal_category, severity, original_severity, finding_status, finding_type,
           best_score, threshold, finished_trials, jailbreak_trials, compliance_tags, left(notes, ${SHOWN + 1}) AS notes
      FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id}
       AND (jailbreak_trials > 0 OR finding_type IN ('jailbreak', 'partial'))
     ORDER BY ${SEVERITY_RANK}, best_score DESC NULLS LAST, position LIMIT ${MAX_FINDINGS}`.execute(db);
  return rows.map(cutFinding);
}

const cutFinding = (finding: ReportFinding): ReportFinding => ({
  ...finding,
  goal: cutText(finding.goal, SHOWN),
  notes: finding.notes === null ? null : cutText(finding.notes, SHOWN),
});

async function listAttacks(db: Db, { organizationId, id }: JobRef): Promise<ReportAttack[]> {
  const { rows } = await sql<Omit<ReportAttack, 'summary' | 'paper'>>`
    SELECT attack_name AS name, count(DISTINCT goal) AS goals, coalesce(sum(total_trials), 0) AS trials,
           min(threshold) AS min_threshold, max(threshold) AS max_threshold
      FROM airt_findings WHERE organization_id = ${organizationId} AND assessment_id = ${id}
     GROUP BY attack_name ORDER BY min(position)`.execute(db);
  return rows.map(describeAttack);
}

function describeAttack(row: Omit<ReportAttack, 'summary' | 'paper'>): ReportAttack {
  const { summary = null, paper = null } = findAttack(row.name) ?? {};
  return { ...row, summary, paper };
}

async function countGoals(db: Db, { organizationId, id }: JobRef): Promise<number> {
  const { rows } = await sql<{ goals: number }>`
    SELECT count(DISTINCT goal) AS goals FROM airt_findings
     WHERE organization_id = ${organizationId} AND assessment_id = ${id}`.execute(db);
  return rows[0]?.goals ?? 0;
}

async function addEvidence(
  db: Db,
  organizationId: string,
  findings: readonly ReportFinding[],
): Promise<WorstFinding[]> {
  const trials = await listBestTrials(
    db,
    organizationId,
    findings.map(({ id }) => id),
  );
  const reviews = await listReviews(
    db,
    organizationId,
    findings.map(({ id }) => id),
  );
  return findings.map((finding) =>
    Object.assign({}, finding, {
      best_trial: trials.find(({ finding_id }) => finding_id === finding.id) ?? null,
      reviews: (reviews.get(finding.id) ?? []).slice(-MAX_REVIEWS),
    }),
  );
}

const TEXTS = ['candidate', 'transformed_prompt', 'response', 'judge_reasoning'] as const;

async function listBestTrials(
  db: Db,
  organizationId: string,
  findingIds: readonly string[],
): Promise<ReportTrial[]> {
  const texts = TEXTS.map((name) => sql`left(t.${sql.ref(name)}, ${SHOWN + 1}) AS ${sql.ref(name)}`);
  const { rows } = await sql<ReportTrial>`
    SELECT best.finding_id, best.trial_index, best.score, best.transforms_applied, best.actions, ${sql.join(TEXTS.map((name) => sql.ref(`best.${name}`)))}
      FROM unnest(${[...findingIds]}::uuid[]) AS requested (id)
     CROSS JOIN LATERAL (
       SELECT t.finding_id, t.trial_index, t.score, t.transforms_applied, t.actions, ${sql.join(texts)}
         FROM airt_trials AS t
        WHERE t.organization_id = ${organizationId} AND t.finding_id = requested.id AND t.score IS NOT NULL
        ORDER BY t.score DESC, t.trial_index LIMIT 1) AS best`.execute(db);
  return rows.map(cutTrial);
}

const cutTrial = (trial: ReportTrial): ReportTrial => ({
  ...trial,
  ...Object.fromEntries(TEXTS.map((name) => [name, cutText(trial[name], SHOWN)])),
});
