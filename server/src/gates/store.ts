/** Gates as they are stored. Every member of the workspace sees all of them. */
import { sql } from 'kysely';
import { findProjectId } from '../accounts/service.ts';
import { audit } from '../platform/audit/audit.ts';
import type { WorkspaceScope } from '../platform/auth/principal.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transaction, transactionFor } from '../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../platform/db/violations.ts';
import { ApiError, invalidValue, notFound } from '../platform/errors.ts';
import { deleteStream } from '../platform/events/event-log.ts';
import { isUuid } from '../platform/fields.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { type CreateGate, type GateOf, type GateSettingsOf, type PageQuery, readSettings } from './schema.ts';

export type Place = Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'recordEffect'>;

export const gateNotFound = (given: string) => notFound(`Gate "${given}"`);

export const settingsOf = (gate: GateOf): GateSettingsOf => readSettings(gate);

interface GateRow extends Omit<GateOf, keyof GateSettingsOf> {
  readonly settings: GateSettingsOf;
}

const COLUMNS = sql`g.id, g.name, g.description, g.rules, g.protects, g.settings, g.created_at, g.updated_at,
  (SELECT jsonb_build_object('id', c.id, 'capability', c.capability, 'model', c.model, 'version', c.version, 'status', c.status,
                             'verdict', c.verdict, 'created_at', to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
     FROM gate_checks AS c WHERE c.organization_id = g.organization_id AND c.gate_id = g.id
    ORDER BY c.created_at DESC, c.id DESC LIMIT 1) AS last_check`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`g.organization_id = ${organizationId} AND g.workspace_id = ${workspaceId}`;

const toGate = ({ settings, ...row }: GateRow): GateOf => ({ ...row, ...settings });

/** @param given id or name */
export async function getGate(db: Db, scope: Place, given: string): Promise<GateOf> {
  const isNamed = isUuid(given) ? sql`g.id = ${given}` : sql`g.name = ${given}`;
  const { rows } = await sql<GateRow>`
    SELECT ${COLUMNS} FROM gates AS g WHERE ${isIn(scope)} AND ${isNamed}`.execute(db);
  const [row] = rows;
  if (!row) throw gateNotFound(given);
  return toGate(row);
}

export async function listGates(db: Db, scope: Place, { page, page_size }: PageQuery) {
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM gates AS g WHERE ${isIn(scope)}`.execute(db);
  const { rows } = await sql<GateRow>`
    SELECT ${COLUMNS} FROM gates AS g WHERE ${isIn(scope)}
     ORDER BY g.name LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(db);
  return { items: rows.map(toGate), total: counted[0]?.total ?? 0, page, page_size };
}

export async function createGate(db: Db, scope: WorkspaceScope, request: CreateGate): Promise<GateOf> {
  await requireProject(db, scope, request);
  const id = uuidv7();
  const { name } = request;
  return transactionFor(db, scope, async (trx) => {
    const insert = trx
      .insertInto('gates')
      .values({
        organization_id: scope.organizationId,
        id,
        workspace_id: scope.workspaceId,
        created_by: scope.principal.userId,
        name,
        ...columnsOf(request),
      })
      .execute();
    await explainViolation(insert, {
      gates_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
      gates_name_key: alreadyExists(
        `The workspace has a gate "${name}"; change it with PUT, or choose another name.`,
      ),
    });
    await audit(trx, scope, { action: 'gate.created', resource: `gates/${id}`, after: { name } });
    return getGate(trx, scope, id);
  });
}

/** Replaces a gate. Its checks keep the rules that they were made with. */
export async function replaceGate(
  db: Db,
  scope: WorkspaceScope,
  given: string,
  request: CreateGate,
): Promise<GateOf> {
  await requireProject(db, scope, request);
  return transactionFor(db, scope, async (trx) => {
    const before = await getGate(trx, scope, given);
    const { rules, settings, protects, description } = columnsOf(request);
    const update = sql`
      UPDATE gates SET name = ${request.name}, description = ${description}, rules = ${rules}::jsonb,
                       settings = ${settings}::jsonb, protects = ${protects}::text[], updated_at = now()
       WHERE organization_id = ${scope.organizationId} AND id = ${before.id}`.execute(trx);
    await explainViolation(update, {
      gates_name_key: alreadyExists(`The workspace has another gate "${request.name}"; choose another name.`),
    });
    await audit(trx, scope, {
      action: 'gate.replaced',
      resource: `gates/${before.id}`,
      before: { name: before.name, rules: JSON.stringify(before.rules), protects: before.protects },
      after: { name: request.name, rules, protects },
    });
    return getGate(trx, scope, before.id);
  });
}

function columnsOf({ description = null, rules, protects, ...settings }: CreateGate) {
  return {
    description,
    rules: JSON.stringify(rules),
    settings: JSON.stringify(readSettings(settings)),
    protects: [...new Set(protects ?? [])],
  };
}

async function requireProject(db: Db, scope: WorkspaceScope, { project }: CreateGate): Promise<void> {
  if (project && (await findProjectId(db, scope, project)) === undefined)
    throw invalidValue(['body', 'project'], 'names no project of this workspace');
}

/** @throws {ApiError} `conflict_error` while one of its checks runs */
export async function deleteGate(db: Db, scope: WorkspaceScope, given: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id, name } = await getGate(trx, scope, given);
    const { rows } = await sql<{ id: string; status: string }>`
      SELECT id, status FROM gate_checks WHERE organization_id = ${scope.organizationId} AND gate_id = ${id} FOR UPDATE`.execute(
      trx,
    );
    if (rows.some(({ status }) => status === 'queued' || status === 'running'))
      throw new ApiError('conflict_error', 'A check of the gate runs; cancel it before you delete the gate.');
    await removeGate(trx, scope, id, rows);
    await audit(trx, scope, { action: 'gate.deleted', resource: `gates/${id}`, before: { name } });
  });
}

/** Deletes the gates of a workspace that is about to be deleted. A worker that runs a check ends when it finds that the row is gone. */
export async function deleteAllGates(db: Db, place: Place): Promise<void> {
  await transaction(db, async (trx) => {
    const { rows: gates } = await sql<{ id: string }>`
      SELECT g.id FROM gates AS g WHERE ${isIn(place)} FOR UPDATE`.execute(trx);
    for (const { id } of gates) {
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM gate_checks WHERE organization_id = ${place.organizationId} AND gate_id = ${id}`.execute(
        trx,
      );
      await removeGate(trx, place, id, rows);
    }
  });
}

async function removeGate(
  trx: Trx,
  { organizationId }: Place,
  id: string,
  checks: readonly { readonly id: string }[],
): Promise<void> {
  await sql`DELETE FROM gates WHERE organization_id = ${organizationId} AND id = ${id}`.execute(trx);
  for (const check of checks) await deleteStream(trx, { organizationId, streamId: check.id });
}
