/** The sandboxes of an organization, including ended ones, in the workspaces that the caller can see. */
import { type RawBuilder, sql } from 'kysely';
import { identityOf, type UserIdentityOf, visibleWorkspaces } from '../../accounts/service.ts';
import { isOrgAdmin, type OrgScope } from '../../platform/auth/principal.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, forbidden, notFound } from '../../platform/errors.ts';
import { Cursors } from '../../platform/http/responses/pages.ts';
import { INSTANCE_COLUMNS, type InstanceRow, toInstance } from '../instance.ts';
import { toTarget } from '../lookup.ts';
import type { RuntimeOperator } from '../operator.ts';
import type { LogEntry, LogQuery, SandboxOf, SandboxQuery } from './schema.ts';

interface SandboxRow
  extends InstanceRow,
    Pick<SandboxOf, 'runtime_id' | 'runtime_key' | 'runtime_name' | 'workspace_id' | 'workspace_key'>,
    Pick<
      SandboxOf,
      'project_id' | 'project_key' | 'config_digest' | 'limits' | 'ended_at' | 'end_reason' | 'origin'
    > {
  readonly owner_id: string;
  readonly created_by: UserIdentityOf | null;
}

/** Condition on the rows `c` of sandboxes. Sandboxes that are still starting are invisible. */
const isSeen = (scope: OrgScope) => sql`c.organization_id = ${scope.organizationId} AND c.state <> 'starting'
  AND c.workspace_id IN (${visibleWorkspaces(scope)})`;

/**
 * Selects the rows first and joins the other tables only for them.
 * @param chosen condition on the rows `c`
 */
async function selectSandboxes(db: Db, chosen: RawBuilder<unknown>): Promise<SandboxRow[]> {
  const { rows } = await sql<SandboxRow>`
    SELECT ${INSTANCE_COLUMNS}, s.runtime_id, r.key AS runtime_key, r.name AS runtime_name, s.workspace_id,
           w.key AS workspace_key, p.id AS project_id, p.key AS project_key, s.created_by AS owner_id,
           CASE WHEN u.id IS NOT NULL THEN ${identityOf('u')} END AS created_by, s.config_digest, s.limits, s.ended_at, s.end_reason,
           s.origin
      FROM (SELECT c.organization_id, c.id FROM sandboxes AS c WHERE ${chosen}) AS found
      JOIN sandboxes AS s ON s.organization_id = found.organization_id AND s.id = found.id
      JOIN workspaces AS w ON w.organization_id = s.organization_id AND w.id = s.workspace_id
      LEFT JOIN runtimes AS r ON r.organization_id = s.organization_id AND r.id = s.runtime_id
      LEFT JOIN projects AS p ON p.organization_id = s.organization_id AND p.workspace_id = s.workspace_id AND p.id = s.project_id
      LEFT JOIN users AS u ON u.id = s.created_by
     ORDER BY s.id DESC`.execute(db);
  return rows;
}

/** A deleted project matches nothing. */
const isOfProject = (id: string) => sql`c.project_id = ${id} AND EXISTS (
  SELECT FROM projects AS p WHERE p.organization_id = c.organization_id AND p.id = c.project_id)`;

export async function listSandboxes(
  db: Db,
  signer: Signer,
  scope: OrgScope,
  { limit, cursor, ...filters }: SandboxQuery,
) {
  const cursors = new Cursors<{ id: string }>(signer, `sandboxes ${scope.organizationId}`);
  const position = cursors.read(cursor, filters);
  const conditions = [
    isSeen(scope),
    ...(filters.state ? [sql`c.state IN (${sql.join(filters.state)})`] : []),
    ...(filters.project_id ? [isOfProject(filters.project_id)] : []),
    ...(position ? [sql`c.id < ${position.id}::uuid`] : []),
  ];
  const rows = await selectSandboxes(
    db,
    sql`${sql.join(conditions, sql` AND `)} ORDER BY c.id DESC LIMIT ${limit + 1}`,
  );
  const page = cursors.toPage(rows, limit, filters, ({ sandbox_id }) => ({ id: sandbox_id }));
  return { ...page, items: page.items.map((row) => toSandbox(row, scope)) };
}

export async function getSandbox(db: Db, scope: OrgScope, id: string): Promise<SandboxOf> {
  const [row] = await selectSandboxes(db, sql`${isSeen(scope)} AND c.id = ${id}::uuid`);
  if (!row) throw notFound(`Sandbox "${id}"`);
  return toSandbox(row, scope);
}

/** Finds a sandbox for an operation of its owner. */
export async function getOwnSandbox(db: Db, scope: OrgScope, id: string): Promise<SandboxOf> {
  const sandbox = await getSandbox(db, scope, id);
  if (!sandbox.owned_by_me) throw forbidden('Only its owner reads what happened in this sandbox.');
  return sandbox;
}

/** Keeps the disk and the runtime; an ephemeral one until its lease ends. */
export async function killSandbox(
  db: Db,
  operator: RuntimeOperator,
  scope: OrgScope,
  id: string,
): Promise<void> {
  const { owned_by_me, runtime_id, state } = await getSandbox(db, scope, id);
  if (!owned_by_me && !isOrgAdmin(scope)) {
    throw forbidden('Only its owner or an admin of the organization can end this sandbox.');
  }
  if (state === 'killed') throw new ApiError('conflict_error', 'This sandbox has ended already.');
  await operator.end(
    toTarget(scope, runtime_id),
    owned_by_me ? 'Ended by its owner.' : 'Ended by an admin of the organization.',
    id,
  );
}

function toSandbox(row: SandboxRow, { principal }: OrgScope): SandboxOf {
  return {
    ...toInstance(row),
    origin: row.origin,
    runtime_id: row.runtime_id,
    runtime_key: row.runtime_key,
    runtime_name: row.runtime_name,
    workspace_id: row.workspace_id,
    workspace_key: row.workspace_key,
    project_id: row.project_id,
    project_key: row.project_key,
    created_by: row.created_by,
    owned_by_me: row.owner_id === principal.userId,
    config_digest: row.config_digest,
    limits: row.limits,
    ended_at: row.ended_at,
    end_reason: row.end_reason,
  };
}

/** Lists the log of a sandbox from the beginning: its state transitions and network requests. */
export async function listLog(
  db: Db,
  signer: Signer,
  scope: OrgScope,
  id: string,
  { limit, cursor, ...filters }: LogQuery,
) {
  const cursors = new Cursors<{ number: number }>(signer, `sandbox-log ${id}`);
  const position = cursors.read(cursor, filters);
  await getOwnSandbox(db, scope, id);
  const { rows } = await sql<LogEntry>`
    SELECT number, at, kind, message, details FROM sandbox_log
     WHERE organization_id = ${scope.organizationId} AND sandbox_id = ${id} AND number > ${position?.number ?? -1}
       ${filters.kind ? sql`AND kind = ${filters.kind}` : sql``}
     ORDER BY number LIMIT ${limit + 1}`.execute(db);
  return cursors.toPage(rows, limit, filters, ({ number }) => ({ number }));
}
