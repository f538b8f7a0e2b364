/** The report as JSON. docs/design/red-team-reports.md describes its fields. */
import { FRAMEWORKS } from '../../../platform/red-team/scoring/compliance.ts';
import { withoutSecrets } from '../../without-secrets.ts';
import { listNextSteps } from '../report-content.ts';
import type { ReportData } from '../report-data.ts';

const FORMAT = 'drydock-red-team-report/1';

export function toJsonReport(data: ReportData): Record<string, unknown> {
  const { assessment, execution, analytics, target } = data;
  return {
    format: FORMAT,
    generated_at: data.generatedAt,
    server_version: data.serverVersion,
    assessment: {
      id: assessment.id,
      project_id: assessment.project_id,
      name: assessment.name,
      description: assessment.description,
      status: assessment.status,
      stop_reason: assessment.stop_reason,
      run_by: assessment.run_by,
      retest_of: assessment.retest_of,
      started_at: assessment.started_at,
      completed_at: assessment.completed_at,
    },
    target: { ...target, config: withoutSecrets(assessment.target_config) },
    digests: data.digests,
    method: {
      attacker_model: assessment.attacker_model,
      judge_model: assessment.judge_model,
      seed: execution?.seed ?? null,
      goals: data.goals,
      attacks: data.attacks,
      attack_manifest: withoutSecrets(assessment.attack_manifest),
    },
    analytics,
    findings: data.findings,
    worst_findings: data.worst,
    frameworks: FRAMEWORKS,
    next_steps: listNextSteps(data),
  };
}
