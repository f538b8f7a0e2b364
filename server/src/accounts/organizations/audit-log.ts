/** Reads the audit log: newest first, in pages. */
import { z } from 'zod';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { DateTime, Id, Timestamp, Uuid } from '../../platform/fields.ts';
import { Cursors, cursorPageOf, cursorQuery } from '../../platform/http/responses/pages.ts';
import { firstUuidAt } from '../../platform/uuid.ts';

const Values = z.record(z.string(), z.unknown()).nullable();

const AuditLogEntry = z
  .object({
    id: Id,
    actor: z.object({ id: Id, username: z.string() }).nullable(),
    api_key_id: Id.nullable(),
    action: z.string(),
    resource: z.string(),
    before: Values,
    after: Values,
    request_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'AuditLogEntry' });

export const AuditLogPage = cursorPageOf(AuditLogEntry).meta({ id: 'AuditLogPage' });

export const auditLogQuery = z.object({
  actor: Uuid.optional().describe('Only what this user did'),
  action: z.string().max(100).optional().describe('Exactly this action, such as member.added'),
  resource: z.string().max(200).optional().describe('Exactly this resource, such as members/{user_id}'),
  from: DateTime.optional().describe('Inclusive'),
  to: DateTime.optional().describe('Inclusive'),
  ...cursorQuery({ defaultLimit: 50, maxLimit: 200 }),
});

type AuditLogQuery = z.output<typeof auditLogQuery>;

export function listAuditLog(db: Db, signer: Signer) {
  return async (scope: OrgScope, { limit, cursor, ...filters }: AuditLogQuery) => {
    const cursors = new Cursors<{ id: string }>(signer, `audit-log ${scope.organizationId}`);
    const position = cursors.read(cursor, filters);
    let query = db
      .selectFrom('audit_log as a')
      .leftJoin('users as u', 'u.id', 'a.actor_id')
      .select(['a.id', 'a.actor_id', 'u.username', 'a.api_key_id', 'a.action', 'a.resource'])
      .select(['a.before', 'a.after', 'a.request_id', 'a.created_at'])
      .where('a.organization_id', '=', scope.organizationId)
      .orderBy('a.id', 'desc')
      .limit(limit + 1);
    if (position) query = query.where('a.id', '<', position.id);
    if (filters.actor !== undefined) query = query.where('a.actor_id', '=', filters.actor);
    if (filters.action !== undefined) query = query.where('a.action', '=', filters.action);
    if (filters.resource !== undefined) query = query.where('a.resource', '=', filters.resource);
    if (filters.from !== undefined) query = query.where('a.id', '>=', firstUuidAt(Date.parse(filters.from)));
    if (filters.to !== undefined) query = query.where('a.id', '<', firstUuidAt(Date.parse(filters.to) + 1));
    const page = cursors.toPage(await query.execute(), limit, filters, ({ id }) => ({ id }));
    return { ...page, items: page.items.map(toEntry) };
  };
}

function toEntry({ actor_id, username, before, after, ...entry }: AuditRow) {
  const actor = actor_id === null ? null : { id: actor_id, username: username ?? '' };
  return {
    ...entry,
    actor,
    before: before as Record<string, unknown> | null,
    after: after as Record<string, unknown> | null,
  };
}

interface AuditRow {
  id: string;
  actor_id: string | null;
  username: string | null;
  api_key_id: string | null;
  action: string;
  resource: string;
  before: unknown;
  after: unknown;
  request_id: string | null;
  created_at: string;
}
