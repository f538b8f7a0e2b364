/** The report as one HTML file that loads nothing and runs no script. */
import {
  type Cell,
  type Fact,
  type FindingContent,
  type ReportContent,
  type Table,
  toContent,
  worstSeverity,
} from '../report-content.ts';
import type { ReportData } from '../report-data.ts';
import { heatMap, rateChart, severityChart } from './html-charts.ts';
import { STYLE } from './html-style.ts';
import { escapeHtml } from './html-text.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export function toHtml(data: ReportData): string {
  const content = toContent(data);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(content.title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${toBody(content, data).join('\n')}
</main>
</body>
</html>
`;
}

function toBody(content: ReportContent, data: ReportData): string[] {
  const { analytics } = data;
  const { calibration } = content;
  const hasRates = analytics.by_attack.length > 0;
  return [
    `<h1>${escapeHtml(content.title)}</h1>`,
    `<p class="verdict ${worstSeverity(data) ?? ''}">${escapeHtml(content.verdict)}</p>`,
    '<h2>What was tested</h2>',
    factList(content.tested),
    '<h2>How it was tested</h2>',
    factList(content.method),
    toTable(content.attacks),
    '<h2 class="new-page">Results</h2>',
    factList(content.results),
    ...(hasRates
      ? [
          figure('Attack success rate by attack, with 95% intervals', rateChart(analytics)),
          figure('Findings with a success by severity', severityChart(analytics)),
          figure(
            'Successes of finished trials by category of goal and attack; the stronger the colour, the higher the rate',
            heatMap(analytics),
          ),
        ]
      : []),
    ...content.rates.flatMap(({ title, table }) => [`<h3>${title}</h3>`, toTable(table)]),
    '<h3>By severity</h3>',
    toTable(content.severity),
    '<h2 class="new-page">Worst findings</h2>',
    ...(content.findings.length > 0 ? content.findings.map(toFinding) : ['<p>None.</p>']),
    '<h2 class="new-page">Compliance</h2>',
    toTable(content.compliance),
    '<h2>Triage</h2>',
    toTable(content.triage),
    '<h2>Calibration of the judge</h2>',
    `<p>${escapeHtml(calibration.text)}</p>`,
    ...(calibration.table ? [toTable(calibration.table)] : []),
    '<h2>What to do next</h2>',
    content.nextSteps.length > 0
      ? `<ol>${content.nextSteps.map((step) => `<li>${escapeHtml(step)}</li>`).join('')}</ol>`
      : '<p>Nothing.</p>',
  ];
}

const factList = (facts: readonly Fact[]) =>
  `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`;

const figure = (caption: string, chart: string) =>
  `<figure>${chart}<figcaption>${escapeHtml(caption)}</figcaption></figure>`;

const toCell = (cell: Cell) =>
  typeof cell === 'string'
    ? escapeHtml(cell)
    : `<a href="${escapeHtml(cell.url)}" rel="noreferrer">${escapeHtml(cell.text)}</a>`;

function toTable({ columns, rows }: Table): string {
  if (rows.length === 0) return '<p>None.</p>';
  const head = columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${toCell(cell)}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

const toFinding = ({ title, facts, texts, reviews }: FindingContent) =>
  [
    `<section><h3>${escapeHtml(title)}</h3>`,
    factList(facts),
    ...texts.map(
      ([name, text]) =>
        `<p class="name"><strong>${escapeHtml(name)}</strong></p><pre>${escapeHtml(text)}</pre>`,
    ),
    ...(reviews ? ['<p class="name"><strong>Reviews</strong></p>', toTable(reviews)] : []),
    '</section>',
  ].join('\n');
