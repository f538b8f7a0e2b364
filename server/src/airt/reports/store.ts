/** Stores and reads reports. A report never changes: it says what the assessment was when it was made. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { notFound } from '../../platform/errors.ts';
import { isUuid } from '../../platform/fields.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { assessmentNotFound, getAssessment, type Place, requireAssessment } from '../assessments/store.ts';
import { requireEnded } from '../ended.ts';
import { toExecutiveSummary } from './formats/executive-summary.ts';
import { toHtml } from './formats/html.ts';
import { toJsonReport } from './formats/json.ts';
import { toMarkdown } from './formats/markdown.ts';
import { toSarif } from './formats/sarif.ts';
import { type ReportData, readReportData } from './report-data.ts';
import type { CreateReportRequestOf, ReportOf, ReportType } from './schema.ts';

export interface ReportOptions {
  readonly db: Db;
  /** The version of the server. */
  readonly version: string;
}

const MAX_LISTED = 100;

/** @throws {ApiError} `conflict_error` where a report is to be generated of an assessment that has not ended */
export async function createReport(
  { db, version }: ReportOptions,
  scope: WorkspaceScope,
  given: string,
  { report_type, content = null, content_json = null }: CreateReportRequestOf,
): Promise<ReportOf> {
  const { id: assessmentId, status } = await getAssessment(db, scope, given);
  const isGiven = content !== null || content_json !== null;
  if (!isGiven) requireEnded(status, 'create the report');
  const body = isGiven
    ? { content, content_json }
    : generateReport(report_type, await readReportData(db, scope, assessmentId, version));
  return transactionFor(db, scope, async (trx) => {
    const report = await insertReport(trx, scope, { assessmentId, report_type, ...body });
    await audit(trx, scope, {
      action: 'assessment.report_created',
      resource: `airt/assessments/${assessmentId}`,
      after: { report_id: report.id, report_type },
    });
    return report;
  });
}

async function insertReport(
  trx: Trx,
  { organizationId, principal }: WorkspaceScope,
  report: ReportBody & Pick<ReportOf, 'report_type'> & { readonly assessmentId: string },
): Promise<ReportOf> {
  const { assessmentId, report_type, content, content_json } = report;
  // The assessment may have been deleted while the report was made.
  const { rows: kept } = await sql`
    SELECT FROM airt_assessments WHERE organization_id = ${organizationId} AND id = ${assessmentId} FOR KEY SHARE`.execute(
    trx,
  );
  if (kept.length === 0) throw assessmentNotFound(assessmentId);
  const { rows } = await sql<ReportOf>`
    INSERT INTO airt_reports (organization_id, id, assessment_id, report_type, content, content_json, created_by)
    VALUES (${organizationId}, ${uuidv7()}, ${assessmentId}, ${report_type}, ${content},
            ${content_json === null ? null : JSON.stringify(content_json)}::jsonb, ${principal.userId})
    RETURNING id, assessment_id, report_type, content, content_json, created_at`.execute(trx);
  const [stored] = rows;
  if (!stored) throw new Error('the report was not stored');
  return stored;
}

export async function getReport(
  db: Db,
  scope: Place,
  { assessment_id, report_id }: { readonly assessment_id: string; readonly report_id: string },
): Promise<ReportOf> {
  const assessmentId = await requireAssessment(db, scope, assessment_id);
  const report = isUuid(report_id) && (await findReport(db, scope, assessmentId, report_id));
  if (!report) throw notFound(`Report "${report_id}"`);
  return report;
}

async function findReport(
  db: Db,
  { organizationId }: Place,
  assessmentId: string,
  id: string,
): Promise<ReportOf | undefined> {
  const { rows } = await sql<ReportOf>`
    SELECT id, assessment_id, report_type, content, content_json, created_at FROM airt_reports
     WHERE organization_id = ${organizationId} AND assessment_id = ${assessmentId} AND id = ${id}`.execute(
    db,
  );
  return rows[0];
}

/** The newest 100 as a JSON array, of which one report at a time is in memory: each may have several MiB. */
export async function listReports(db: Db, scope: Place, given: string): Promise<AsyncIterable<string>> {
  const assessmentId = await requireAssessment(db, scope, given);
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM airt_reports WHERE organization_id = ${scope.organizationId} AND assessment_id = ${assessmentId}
     ORDER BY id DESC LIMIT ${MAX_LISTED}`.execute(db);
  return writeReports(
    db,
    scope,
    assessmentId,
    rows.map(({ id }) => id),
  );
}

async function* writeReports(
  db: Db,
  scope: Place,
  assessmentId: string,
  ids: readonly string[],
): AsyncGenerator<string> {
  let separator = '[';
  for (const id of ids) {
    const report = await findReport(db, scope, assessmentId, id);
    if (!report) continue; // deleted in between with its assessment
    yield `${separator}${JSON.stringify(report)}`;
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

interface ReportBody {
  readonly content: string | null;
  readonly content_json: Readonly<Record<string, unknown>> | null;
}

const text = (content: string): ReportBody => ({ content, content_json: null });

/** Generators of the content of a report, by its type. */
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

const generateReport = (type: ReportType, data: ReportData): ReportBody => GENERATORS[type](data);
