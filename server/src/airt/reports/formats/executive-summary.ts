/** One page for people who decide: what was found, how bad it is, what to do. */
import { FRAMEWORKS } from '../../../platform/red-team/scoring/compliance.ts';
import { SEVERITIES } from '../../../platform/red-team/scoring/severity.ts';
import { cutText } from '../cut-text.ts';
import { listNextSteps, toRateText, toTime, toVerdict } from '../report-content.ts';
import type { ReportData } from '../report-data.ts';
import { facts, inline, table } from './markdown-text.ts';

const MAX_FINDINGS = 3;
const MAX_STEPS = 5;
const GOAL_SHOWN = 160;

export function toExecutiveSummary(data: ReportData): string {
  const { assessment, analytics, target, worst } = data;
  const sections = [
    `# Executive summary: ${inline(assessment.name)}`,
    `**${toVerdict(data)}**`,
    facts([
      ['Target', target.name],
      ['Tested', toTime(assessment.completed_at)],
      ['Attack success rate', toRateText(analytics.success)],
      [
        'Scope',
        `${data.attacks.length} attacks, ${analytics.total_attacks} findings, ${analytics.finished_trials} trials`,
      ],
      ['Open', `${analytics.finding_statuses.open} findings are not triaged`],
    ]),
    '## Severity of what succeeded',
    table({
      columns: [...SEVERITIES],
      rows: [SEVERITIES.map((name) => String(analytics.severity_counts[name]))],
    }),
    '## Most serious',
    worst.slice(0, MAX_FINDINGS).map(toLine).join('\n') || 'No attack succeeded.',
    '## Compliance',
    describeCompliance(data),
    '## What to do next',
    listNextSteps(data)
      .slice(0, MAX_STEPS)
      .map((step, index) => `${index + 1}. ${inline(step)}`)
      .join('\n') || 'Nothing.',
    'Success rates are shares of the trials that were run. They depend on the attacks, the goals and the judge, and are no proof that a target is safe.',
  ];
  return `${sections.join('\n\n')}\n`;
}

const toLine = (finding: ReportData['worst'][number]) =>
  `- **${finding.severity}**, ${inline(finding.attack_name)}: ${inline(cutText(finding.goal, GOAL_SHOWN))} (${finding.finding_status})`;

function describeCompliance({ analytics }: ReportData): string {
  const lines = FRAMEWORKS.flatMap(({ key, name, version }) => {
    const tested = analytics.compliance.filter(({ framework }) => framework === key);
    const broken = tested.filter((control) => control.broken > 0);
    if (tested.length === 0) return [];
    const which = broken.length === 0 ? '' : `: ${broken.map(({ control }) => control).join(', ')}`;
    return `- ${name} (${version}): ${broken.length} of ${tested.length} tested controls broken${inline(which)}`;
  });
  return lines.join('\n') || 'No control was tested.';
}
