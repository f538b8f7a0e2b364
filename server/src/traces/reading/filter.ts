/** What traces can be asked for, and what it comes to. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { isUuid } from '../../platform/fields.ts';
import { foldCase } from '../../platform/letter-case.ts';
import type { Viewer } from '../../sessions/service.ts';
import type { TraceListQueryOf } from '../schema.ts';
import { bitOf, toSpanType } from '../span-types.ts';

/** All of it applies. What is null does not. */
export interface TraceFilter {
  readonly projectId: string | null;
  readonly typeBit: number | null;
  readonly status: 'ok' | 'error' | null;
  readonly sessionId: string | null;
  readonly search: string | null;
  /** Of what is searched for, where it may be the beginning of an id: the least and the greatest that there are. */
  readonly ids: { readonly least: Buffer; readonly greatest: Buffer } | null;
  readonly from: string | null;
  readonly to: string | null;
}

/** Undefined when nothing can match: the project is not there. */
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

/** U+FFFF stands between the texts of a span, so that nothing is found across them. */
const foldSearch = (text: string) => foldCase(text).replaceAll('\uFFFF', '\uFFFD');

/** Moments are answered to the millisecond: what is answered as this one is not later. */
const toEndOfMillisecond = (moment: string) => moment.replace(/Z$/, '999Z');

const ID_DIGITS = 32;

function toIdRange(text: string): TraceFilter['ids'] {
  if (!/^[0-9a-f]{4,32}$/i.test(text)) return null;
  return {
    least: Buffer.from(text.padEnd(ID_DIGITS, '0'), 'hex'),
    greatest: Buffer.from(text.padEnd(ID_DIGITS, 'f'), 'hex'),
  };
}

/** What has the form of an id is one. A project counts only while it is there: spans still name one that was deleted. */
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
