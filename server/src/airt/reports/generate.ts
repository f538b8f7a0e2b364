/** Generates the content of a report. */
import { toExecutiveSummary } from './formats/executive-summary.ts';
import { toHtml } from './formats/html.ts';
import { toJsonReport } from './formats/json.ts';
import { toMarkdown } from './formats/markdown.ts';
import { toSarif } from './formats/sarif.ts';
import type { ReportData } from './report-data.ts';
import type { ReportType } from './schema.ts';

export interface ReportBody {
  readonly content: string | null;
  readonly content_json: Readonly<Record<string, unknown>> | null;
}

const text = (content: string): ReportBody => ({ content, content_json: null });

const GENERATORS: Readonly<Record<ReportType, (data: ReportData) => ReportBody>> = {
  markdown: (data) => text(toMarkdown(data)),
  executive_summary: (data) => text(toExecutiveSummary(data)),
  html: (data) => text(toHtml(data)),
  json: (data) => ({ content: null, content_json: toJsonReport(data) }),
  sarif: (data) => {
    const log = toSarif(data);
    return { content: JSON.stringify(log, null, 2), content_json: log };
  },
};

export const generateReport = (type: ReportType, data: ReportData): ReportBody => GENERATORS[type](data);
