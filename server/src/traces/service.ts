/** Access to spans for other domains: spans that report to a red-team assessment. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';

export interface ReportedSpan {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly hasFailed: boolean;
  readonly statusMessage: string | null;
  readonly startTime: string;
  readonly durationSeconds: number;
}

export interface SpanSource {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly assessmentId: string;
  /** Spans received after this time are left out. */
  readonly until: string;
}

const isOf = ({ organizationId, workspaceId, assessmentId, until }: SpanSource) =>
  sql`organization_id = ${organizationId} AND assessment_id = ${assessmentId} AND workspace_id = ${workspaceId}
    AND received_at <= ${until}`;

/** @returns the time at which the newest of these spans was received */
export async function findNewestSpan(db: Db, source: SpanSource): Promise<string | null> {
  const { rows } = await sql<{ newest: string | null }>`
    SELECT max(received_at)::text AS newest FROM spans WHERE ${isOf(source)}`.execute(db);
  return rows[0]?.newest ?? null;
}

/** @param limit maximum number of spans, oldest first */
export async function listReportedSpans(
  db: Db,
  source: SpanSource,
  limit: number,
): Promise<readonly ReportedSpan[]> {
  const { rows } = await sql<Omit<ReportedSpan, 'attributes'> & { readonly attributes: string }>`
    SELECT encode(trace_id, 'hex') AS "traceId", encode(span_id, 'hex') AS "spanId",
           encode(parent_span_id, 'hex') AS "parentSpanId", attributes, status_code = 2 AS "hasFailed",
           status_message AS "statusMessage", start_time AS "startTime",
           extract(epoch FROM end_time - start_time)::double precision AS "durationSeconds"
      FROM spans WHERE ${isOf(source)} ORDER BY start_time, span_id LIMIT ${limit}`.execute(db);
  return rows.map(({ attributes, ...span }) =>
    Object.assign(span, { attributes: JSON.parse(attributes) as ReportedSpan['attributes'] }),
  );
}
