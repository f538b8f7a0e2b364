/** Finds the runtime that a path names, and determines who may operate it. */
import { sql } from 'kysely';
import type { OrgScope, WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { forbidden, notFound } from '../platform/errors.ts';
import { isUuid } from '../platform/fields.ts';
import type { Target } from './operator.ts';
import { RUNTIME_COLUMNS, RUNTIME_JOINS, type RuntimeRow, toRuntime } from './responses.ts';
import type { RuntimeOf } from './schema.ts';

type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'principal'>;

export const runtimeNotFound = (given: string) => notFound(`Runtime "${given}"`);

/**
 * Condition on the rows `r` of runtimes. Ephemeral runtimes belong to background work, so paths cannot name them.
 * @param given id or key of the runtime
 */
export function isNamed({ organizationId, workspaceId }: Place, given: string) {
  const isIt = isUuid(given) ? sql`r.id = ${given}::uuid` : sql`r.key = ${given}`;
  return sql<boolean>`r.organization_id = ${organizationId} AND r.workspace_id = ${workspaceId} AND r.origin = 'user' AND ${isIt}`;
}

export async function findRuntime(db: Db, place: Place, given: string): Promise<RuntimeOf | undefined> {
  const { rows } = await sql<RuntimeRow>`
    SELECT ${RUNTIME_COLUMNS} FROM runtimes AS r ${RUNTIME_JOINS} WHERE ${isNamed(place, given)}`.execute(db);
  return rows[0] && toRuntime(rows[0], place.principal.userId);
}

export async function getRuntime(db: Db, place: Place, given: string): Promise<RuntimeOf> {
  const runtime = await findRuntime(db, place, given);
  if (!runtime) throw runtimeNotFound(given);
  return runtime;
}

/** Finds a runtime for an operation of its owner: 404 for callers that cannot see it, 403 for all others. */
export async function getOwnTarget(db: Db, scope: WorkspaceScope, given: string): Promise<Target> {
  const { rows } = await sql<OwnedRow>`
    SELECT r.id, r.created_by FROM runtimes AS r WHERE ${isNamed(scope, given)}`.execute(db);
  return toOwnTarget(scope, given, rows[0]);
}

export interface OwnedRow {
  readonly id: string;
  readonly created_by: string;
}

export function toOwnTarget(scope: WorkspaceScope, given: string, runtime: OwnedRow | undefined): Target {
  if (!runtime) throw runtimeNotFound(given);
  if (runtime.created_by !== scope.principal.userId) {
    throw forbidden('Only the owner can operate this runtime; create one of your own with another key.');
  }
  return toTarget(scope, runtime.id);
}

export const toTarget = (
  { organizationId, principal, requestId, recordEffect }: OrgScope,
  runtimeId: string,
): Target => ({
  organizationId,
  runtimeId,
  actorId: principal.userId,
  apiKeyId: principal.apiKey?.id ?? null,
  requestId,
  recordEffect,
});
