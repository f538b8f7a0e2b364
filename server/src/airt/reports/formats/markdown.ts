/** The report as Markdown. */
import { type FindingContent, toContent } from '../report-content.ts';
import type { ReportData } from '../report-data.ts';
import { facts, fence, inline, table } from './markdown-text.ts';

export function toMarkdown(data: ReportData): string {
  const content = toContent(data);
  const { calibration } = content;
  const sections = [
    `# ${inline(content.title)}`,
    content.verdict,
    '## What was tested',
    facts(content.tested),
    '## How it was tested',
    facts(content.method),
    table(content.attacks),
    '## Results',
    facts(content.results),
    ...content.rates.flatMap(({ title, table: rates }) => [`### ${title}`, table(rates)]),
    '### By severity',
    table(content.severity),
    '## Worst findings',
    ...(content.findings.length > 0 ? content.findings.map(toSection) : ['None.']),
    '## Compliance',
    table(content.compliance),
    '## Triage',
    table(content.triage),
    '## Calibration of the judge',
    calibration.text,
    ...(calibration.table ? [table(calibration.table)] : []),
    '## What to do next',
    content.nextSteps.map((step) => `- ${inline(step)}`).join('\n') || 'Nothing.',
  ];
  return `${sections.join('\n\n')}\n`;
}

const toSection = (finding: FindingContent) =>
  [
    `### ${inline(finding.title)}`,
    facts(finding.facts),
    ...finding.texts.flatMap(([name, text]) => [`**${name}**`, fence(text)]),
    ...(finding.reviews ? ['**Reviews**', table(finding.reviews)] : []),
  ].join('\n\n');
