import { expect, test } from 'vitest';
import { AIRT, airtTools, startAirtWorld } from '../../../test/airt-world.ts';
import { W } from '../../../test/evaluation-world.ts';

const { me } = await startAirtWorld();

interface Finding {
  readonly id: string;
  readonly is_jailbreak: boolean;
  readonly severity: string;
  readonly success: { readonly n: number; readonly successes: number };
}

test('getRedTeamSummary pools the trials of a project, follows triage and leaves retests out', async () => {
  const { body: project } = await me.post(`${W}/projects`, { key: 'summed', name: 'Summed' });
  const { run, ended, listFindings } = airtTools(me, project.id);
  const getSummary = async () => (await me.get(`${AIRT}/projects/summed/summary`)).body;
  const { id } = await run({
    attack_manifest: ['baseline', 'policy_puppetry', 'skeleton_key'].map((attack) => ({
      attack,
      goal_category: 'credential_leak',
      trials: 5,
    })),
    attacker_config: { seed: 7 },
  });
  const findings: readonly Finding[] = await listFindings(id);
  const sum = (read: (finding: Finding) => number) =>
    findings.reduce((total, finding) => total + read(finding), 0);
  const broken = findings.find(({ is_jailbreak }) => is_jailbreak);
  if (!broken) throw new Error('no attack succeeded');
  const countOpen = (severity: string) =>
    findings.filter((finding) => finding.is_jailbreak && finding.severity === severity).length;

  const before = await getSummary();
  const n = sum(({ success }) => success.n);
  const successes = sum((finding) => finding.success.successes);
  expect(before).toMatchObject({
    project_key: 'summed',
    assessments: { pending: 0, running: 0, completed: 1, failed: 0 },
    total_findings: findings.length,
    open_findings: { critical: countOpen('critical'), high: countOpen('high') },
    finding_statuses: { open: findings.length, false_positive: 0 },
    success: { n, successes, asr: successes / n },
    trend: [{ assessment_id: id, success: { n, successes } }],
  });

  await me.patch(`${AIRT}/findings/${broken.id}`, { finding_status: 'false_positive' });
  const { status, body: retest } = await me.post(`${AIRT}/findings/${broken.id}/retest`);
  expect(status).toBe(201);
  await ended(retest.id);
  expect(await getSummary()).toMatchObject({
    assessments: { completed: 2 },
    total_findings: findings.length,
    open_findings: { [broken.severity]: before.open_findings[broken.severity] - 1 },
    finding_statuses: { open: findings.length - 1, false_positive: 1 },
    success: { n },
    trend: [{ assessment_id: id }],
  });
});
