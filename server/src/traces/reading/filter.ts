/** Filters of traces, resolved for SQL. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import { foldCase } from '../../platform/letter-case.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceListQueryOf } from '../schema.ts';
import { bitOf, toSpanType } from '../span-types.ts';

/** All conditions apply; null means no condition. */
export interface TraceFilter {
  readonly projectId: string | null;
  readonly typeBit: number | null;
  readonly status: 'ok' | 'error' | null;
  readonly sessionId: string | null;
  readonly search: string | null;
  /** Range of ids that begin with the search text, when it may be the beginning of an id. */
  readonly ids: { readonly least: Buffer; readonly greatest: Buffer } | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns undefined when nothing can match because the project does not exist. */
export async function resolveFilter(
  db: Db,
  viewer: Viewer,
  query: TraceListQueryOf,
): Promise<TraceFilter | undefined> {
  const { project_id, span_type, status = null, session_id = null, from = null, to = null } = query;
  const projectId = project_id === undefined ? null : await findProjectId(db, viewer, project_id);
  if (projectId === undefined) return undefined;
  const search = query.search?.trim() ? query.search : null;
  return {
    projectId,
    typeBit: span_type === undefined ? null : bitOf(toSpanType(span_type)),
    status,
    sessionId: session_id,
    search: search === null ? null : foldSearch(search),
    ids: search === null ? null : toIdRange(search.trim()),
    from,
    to: to && toEndOfMillisecond(to),
  };
}

/** U+FFFF separates the texts of a span, so it is replaced in search texts. */
const foldSearch = (text: string) => foldCase(text).replaceAll('\uFFFF', '\uFFFD');

/** Responses hold milliseconds: a time that is shown as equal to the limit still matches. */
const toEndOfMillisecond = (moment: string) => moment.replace(/Z$/, '999Z');

const ID_DIGITS = 32;

function toIdRange(text: string): TraceFilter['ids'] {
  if (!/^[0-9a-f]{4,32}$/i.test(text)) return null;
  return {
    least: Buffer.from(text.padEnd(ID_DIGITS, '0'), 'hex'),
    greatest: Buffer.from(text.padEnd(ID_DIGITS, 'f'), 'hex'),
  };
}

/** Takes a UUID as an id, everything else as a key. Only existing projects match: spans still name deleted ones. */
async function findProjectId(
  db: Db,
  { organizationId, workspaceId }: Viewer,
  given: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT p.id FROM projects AS p
     WHERE p.organization_id = ${organizationId} AND p.workspace_id = ${workspaceId}
       AND ${isUuid(given) ? sql`p.id = ${given}` : sql`p.key = ${given}`}`.execute(db);
  return rows[0]?.id;
}
