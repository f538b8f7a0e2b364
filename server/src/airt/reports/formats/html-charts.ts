/** Charts of the HTML report: inline SVG without scripts, coloured by the stylesheet of the page. */
import { SEVERITIES } from '../../../platform/red-team/scoring/severity.ts';
import { cutText } from '../cut-text.ts';
import { toPercent, toRateText } from '../report-content.ts';
import type { ReportData } from '../report-data.ts';
import { escapeHtml } from './html-text.ts';

type Analytics = ReportData['analytics'];

/** Attacks that a chart shows; tables have them all. */
const MAX_ATTACKS = 30;
const WIDTH = 720;
const LABEL_WIDTH = 190;
const ROW = 26;
const LABEL_SHOWN = 28;

const label = (text: string) => escapeHtml(cutText(text, LABEL_SHOWN));

const svg = (title: string, height: number, content: string) =>
  `<svg role="img" aria-label="${escapeHtml(title)}" viewBox="0 0 ${WIDTH} ${height}">${content}</svg>`;

const round = (value: number) => Math.round(value * 10) / 10;

/** Success rates with whiskers for their intervals. */
export function rateChart({ by_attack }: Analytics): string {
  const rows = by_attack.slice(0, MAX_ATTACKS);
  const width = WIDTH - LABEL_WIDTH - 70;
  const x = (share: number) => round(LABEL_WIDTH + width * share);
  const bottom = 10 + rows.length * ROW;
  const axis = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="grid" x1="${x(share)}" x2="${x(share)}" y1="6" y2="${bottom}"/>` +
      `<text class="muted" x="${x(share)}" y="${bottom + 14}" text-anchor="middle">${100 * share}%</text>`,
  );
  const bars = rows.map((rate, index) => {
    const middle = 10 + index * ROW + ROW / 2;
    const name = `<text x="${LABEL_WIDTH - 8}" y="${middle + 4}" text-anchor="end">${label(rate.name)}</text>`;
    const title = `<title>${escapeHtml(`${rate.name}: ${toRateText(rate)}`)}</title>`;
    if (rate.asr === null)
      return `<g>${title}${name}<text class="muted" x="${x(0) + 6}" y="${middle + 4}">no finished trial</text></g>`;
    const bar = `<rect class="bar" x="${x(0)}" y="${middle - 8}" width="${round(width * rate.asr)}" height="16"/>`;
    const value = `<text x="${WIDTH - 4}" y="${middle + 4}" text-anchor="end">${toPercent(rate.asr)}</text>`;
    return `<g>${title}${name}${bar}${whisker(rate.interval, x, middle)}${value}</g>`;
  });
  return svg('Attack success rate by attack, with 95% intervals', bottom + 22, [...axis, ...bars].join(''));
}

function whisker(
  interval: Analytics['success']['interval'],
  x: (share: number) => number,
  middle: number,
): string {
  if (interval === null) return '';
  const [from, to] = [x(interval.low), x(interval.high)];
  const cap = (at: number) =>
    `<line class="whisker" x1="${at}" x2="${at}" y1="${middle - 5}" y2="${middle + 5}"/>`;
  return `<line class="whisker" x1="${from}" x2="${to}" y1="${middle}" y2="${middle}"/>${cap(from)}${cap(to)}`;
}

export function severityChart({ severity_counts }: Analytics): string {
  const most = Math.max(1, ...SEVERITIES.map((name) => severity_counts[name]));
  const width = WIDTH - LABEL_WIDTH - 70;
  const rows = SEVERITIES.map((name, index) => {
    const y = 6 + index * ROW;
    const count = severity_counts[name];
    const length = round((width * count) / most);
    return (
      `<text x="${LABEL_WIDTH - 8}" y="${y + 17}" text-anchor="end">${name}</text>` +
      `<rect class="${name}" x="${LABEL_WIDTH}" y="${y + 5}" width="${length}" height="16"/>` +
      `<text x="${LABEL_WIDTH + length + 8}" y="${y + 17}">${count}</text>`
    );
  });
  return svg('Findings with a success by severity', 12 + SEVERITIES.length * ROW, rows.join(''));
}

/** The darker a cell, the higher its success rate; the numbers are successes of finished trials. */
export function heatMap({ matrix, by_attack, by_category }: Analytics): string {
  const attacks = by_attack.slice(0, MAX_ATTACKS).map(({ name }) => name);
  const categories = by_category.map(({ name }) => name);
  const head = 120;
  const cellWidth = Math.min(80, (WIDTH - LABEL_WIDTH) / Math.max(1, attacks.length));
  const heads = attacks.map((name, index) => {
    const x = round(LABEL_WIDTH + (index + 0.5) * cellWidth);
    return `<text transform="translate(${x} ${head - 8}) rotate(-45)">${escapeHtml(cutText(name, 20))}</text>`;
  });
  const names = categories.map(
    (name, index) =>
      `<text x="${LABEL_WIDTH - 8}" y="${head + index * ROW + 17}" text-anchor="end">${label(name)}</text>`,
  );
  const cells = matrix.flatMap((cell) => {
    const [column, row] = [attacks.indexOf(cell.attack_name), categories.indexOf(cell.category)];
    if (column < 0 || row < 0) return [];
    return toHeatCell(cell, LABEL_WIDTH + column * cellWidth, head + row * ROW, cellWidth);
  });
  const height = head + categories.length * ROW + 6;
  return svg('Success rate by category and attack', height, [...heads, ...names, ...cells].join(''));
}

function toHeatCell(cell: Analytics['matrix'][number], x: number, y: number, width: number): string {
  const share = cell.asr ?? 0;
  const rate = cell.asr === null ? 'no finished trial' : `${toPercent(cell.asr)} of ${cell.n} trials`;
  const title = `<title>${escapeHtml(`${cell.category}, ${cell.attack_name}: ${rate}`)}</title>`;
  const at = `x="${round(x + 1)}" y="${y + 1}" width="${round(width - 2)}" height="${ROW - 2}"`;
  const text = width < 34 ? '' : `${cell.successes}/${cell.n}`;
  // From 0.7 on, the other colour of text has the better contrast, in light and in dark mode.
  const tone = share > 0.7 ? 'on-strong' : 'on-weak';
  return (
    `<g>${title}<rect class="cell" ${at}/><rect class="heat" ${at} fill-opacity="${round(share * 10) / 10}"/>` +
    `<text class="${tone}" x="${round(x + width / 2)}" y="${y + 17}" text-anchor="middle">${text}</text></g>`
  );
}
