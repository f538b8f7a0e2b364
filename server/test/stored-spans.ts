/** Complete rows of spans with their sources, without the columns that differ between organizations. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { parseExactly } from './exact-json.ts';

/** JSON columns are text, as they are stored. */
export type StoredSpan = Readonly<Record<string, unknown>>;

const ELSEWHERE_OTHERS = new Set(['organization_id', 'workspace_id', 'received_at', 'last_used_at', 'id']);

/** Reads the spans in the order of their ids. */
export async function readSpans(db: Db, organizationId: string): Promise<StoredSpan[]> {
  const { rows } = await sql<Record<string, string>>`
    SELECT row_to_json(s)::text AS span, s.attributes::text AS attributes, s.events::text AS events, s.links::text AS links,
           row_to_json(o)::text AS source, o.resource::text AS resource, o.scope::text AS scope
      FROM spans s JOIN span_sources o ON o.organization_id = s.organization_id AND o.id = s.source_id
     WHERE s.organization_id = ${organizationId} ORDER BY s.trace_id, s.span_id`.execute(db);
  return rows.map(({ span = '', source = '', ...texts }) => {
    const columns = { ...(parseExactly(source) as object), ...(parseExactly(span) as object), ...texts };
    return Object.fromEntries(Object.entries(columns).filter(([name]) => !ELSEWHERE_OTHERS.has(name)));
  });
}
