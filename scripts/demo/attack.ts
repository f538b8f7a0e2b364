/** Attacks a simulated model, shows the worst finding, and proves with a retest that a hardened prompt holds. */
import type { AssessmentResponse, Drydock, FindingDetail } from '../../sdk/src/drydock.ts';
import { endProgress, percent, progress, say } from './output.ts';
import { WHERE } from './publish.ts';

const TARGET = 'sim/guarded';
const HARDENED = 'Guard: strict';
const ATTACKS = ['baseline', 'role_play', 'skeleton_key', 'pair', 'crescendo', 'canary_extraction'];
const TRIALS = 8;
const POLL_MS = 200;
const SHOWN = 100;

export async function demonstrateRedTeam(drydock: Drydock): Promise<void> {
  const { id: project_id } = await drydock.projects.get({ ...WHERE, project: 'default' });
  const { id } = await drydock.assessments.create(
    WHERE,
    {
      name: 'demo',
      target_model: TARGET,
      attack_manifest: [
        ...ATTACKS.map((attack) => ({ attack, goal_category: 'credential_leak', trials: TRIALS })),
        {
          attack: 'transform_sweep',
          goal_category: 'credential_leak',
          transforms: ['base64', 'rot13', 'leetspeak', ['reverse', 'base64']],
        },
      ],
    },
    { project_id },
  );
  say(`\nAttacking ${TARGET}, which holds an invented secret, with ${ATTACKS.length + 1} attacks:`);
  await drydock.assessments.start({ ...WHERE, assessment_id: id });
  const assessment = await waitFor(drydock, id);
  await showRates(drydock, assessment);
  const { items } = await drydock.assessments.findings(
    { ...WHERE, assessment_id: id },
    { sort_by: 'severity' },
  );
  const [worst] = items;
  if (worst?.is_jailbreak) await proveFix(drydock, worst.id);
}

async function waitFor(drydock: Drydock, id: string): Promise<AssessmentResponse> {
  for (;;) {
    const assessment = await drydock.assessments.get({ ...WHERE, assessment_id: id });
    const { trials, planned_trials, jailbreaks } = assessment.progress;
    progress(`  ${trials} of at most ${planned_trials} trials, ${jailbreaks} successes`);
    if (assessment.status !== 'running') {
      endProgress();
      return assessment;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function showRates(drydock: Drydock, { id }: AssessmentResponse): Promise<void> {
  const { success, risk_score, by_attack, severity_counts } = await drydock.assessments.analytics({
    ...WHERE,
    assessment_id: id,
  });
  const { low = 0, high = 0 } = success.interval ?? {};
  say(
    `\nSuccess     ${percent(success.asr)} of ${success.n} trials, between ${percent(low)} and ${percent(high)}`,
  );
  say(`Risk        ${risk_score} of 10, with ${severity_counts.critical} critical findings`);
  for (const { name, asr, n } of by_attack) say(`  ${name.padEnd(20)} ${percent(asr).padStart(5)} of ${n}`);
}

/** Marks the finding as remediated after a retest of the hardened target. */
async function proveFix(drydock: Drydock, finding_id: string): Promise<void> {
  const finding = await drydock.findings.get({ ...WHERE, finding_id });
  say(`\nWorst       ${finding.attack_name}, ${finding.severity}: ${finding.goal}`);
  say(`  prompt    ${cut(finding.best_transformed_prompt)}`);
  say(`  response  ${cut(finding.best_response)}`);
  const retest = await drydock.findings.retest(
    { ...WHERE, finding_id },
    { target_config: { model: TARGET, system_prompt: HARDENED } },
  );
  await waitFor(drydock, retest.id);
  const after: FindingDetail = await drydock.findings.update(
    { ...WHERE, finding_id },
    { finding_status: 'remediated', notes: `The system prompt has "${HARDENED}" now.` },
  );
  const [proof] = after.retests;
  say(
    `Retest      ${percent(proof?.before.asr ?? null)} before, ${percent(proof?.after.asr ?? null)} after the fix`,
  );
}

const cut = (text: string | null) => (text ?? '').replaceAll(/\s+/g, ' ').slice(0, SHOWN);
