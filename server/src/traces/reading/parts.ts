/** Parts of traces as they are stored: the basis of lists and summaries. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Viewer } from '../../sessions/service.ts';
import { isHidden, joinSession } from './visibility.ts';

/** Times are in PostgreSQL's UTC format with microseconds, so that they can be compared and used in queries. */
export interface PartRow {
  readonly trace_id: string;
  readonly user_id: string;
  readonly session_id: string | null;
  readonly project_id: string | null;
  readonly is_hidden: boolean;
  /** True when the part belongs to an existing session. */
  readonly has_session: boolean;
  readonly has_project: boolean;
  readonly span_count: number;
  readonly error_count: number;
  readonly span_types: number;
  readonly models: string[];
  readonly first_start: string;
  readonly last_start: string;
  readonly last_end: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cost_usd: number;
  readonly unpriced_count: number;
  readonly root_has_parent: boolean;
  readonly root_start: string;
  readonly root_span_id: string;
  readonly root_name: string;
  readonly root_service_name: string | null;
}

export async function findParts(db: Db, viewer: Viewer, traceIds: readonly Buffer[]): Promise<PartRow[]> {
  if (traceIds.length === 0) return [];
  const { organizationId, workspaceId } = viewer;
  const { rows } = await sql<PartRow>`
    SELECT encode(p.trace_id, 'hex') AS trace_id, p.user_id, p.session_id, p.project_id, ${isHidden(viewer)} AS is_hidden,
           s.id IS NOT NULL AS has_session, j.id IS NOT NULL AS has_project, p.span_count, p.error_count, p.span_types, p.models,
           p.first_start::text, p.last_start::text, p.last_end::text, p.input_tokens, p.output_tokens,
           p.cache_read_input_tokens, p.cache_creation_input_tokens, p.cost_usd, p.unpriced_count, p.root_has_parent,
           p.root_start::text, encode(p.root_span_id, 'hex') AS root_span_id, p.root_name, p.root_service_name
      FROM sender_parts AS p ${joinSession(viewer)}
      LEFT JOIN projects AS j ON j.organization_id = ${organizationId} AND j.workspace_id = ${workspaceId} AND j.id = p.project_id
     WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId}
       AND p.trace_id = ANY (${traceIds}::bytea[])`.execute(db);
  return rows;
}
