/** Reads and cancels checks of gates. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { transactionFor } from '../platform/db/transaction.ts';
import { notFound } from '../platform/errors.ts';
import type { EventFeed } from '../platform/events/event-log.ts';
import { isUuid } from '../platform/fields.ts';
import { requestCancel } from '../platform/jobs/job-row.ts';
import { GATE_CHECK } from './check-kind.ts';
import { judgeRules, measureRuns } from './results.ts';
import type { GateCheckOf, PageQuery } from './schema.ts';
import { getGate, type Place } from './store.ts';

type CheckRow = Omit<GateCheckOf, 'results'> & { readonly results: GateCheckOf['results'] | null };

const checkNotFound = (given: string) => notFound(`Check "${given}" of the gate`);

const COLUMNS = sql`c.id, c.gate_id, g.name AS gate_name, c.capability, c.model, c.version, c.status, c.verdict, c.rules,
  c.error, c.created_by, c.created_at, c.started_at, c.completed_at`;
const FROM = sql`gate_checks AS c JOIN gates AS g ON g.organization_id = c.organization_id AND g.id = c.gate_id`;

const isIn = ({ organizationId, workspaceId }: Place) =>
  sql<boolean>`c.organization_id = ${organizationId} AND c.workspace_id = ${workspaceId}`;

/** A check that runs shows what its rules come to so far. */
export async function getCheck(db: Db, scope: Place, gate: string, given: string): Promise<GateCheckOf> {
  const { id: gateId } = await getGate(db, scope, gate);
  if (!isUuid(given)) throw checkNotFound(given);
  const { rows } = await sql<CheckRow>`
    SELECT ${COLUMNS}, c.results FROM ${FROM}
     WHERE ${isIn(scope)} AND c.gate_id = ${gateId} AND c.id = ${given}`.execute(db);
  const [row] = rows;
  if (!row) throw checkNotFound(given);
  const results = row.results ?? judgeRules(row.rules, await measureRuns(db, scope.organizationId, row));
  return { ...row, results };
}

export async function listChecks(db: Db, scope: Place, gate: string, query: PageQuery) {
  const { id } = await getGate(db, scope, gate);
  return listWhere(db, sql`${isIn(scope)} AND c.gate_id = ${id}`, query);
}

/** The results of checks that run are left out of lists. */
async function listWhere(db: Db, where: RawBuilder<unknown>, { page, page_size }: PageQuery) {
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM gate_checks AS c WHERE ${where}`.execute(db);
  const { rows: items } = await sql<GateCheckOf>`
    SELECT ${COLUMNS}, coalesce(c.results, '[]') AS results FROM ${FROM} WHERE ${where}
     ORDER BY c.created_at DESC, c.id DESC LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(db);
  return { items, total: counted[0]?.total ?? 0, page, page_size };
}

export async function cancelCheck(db: Db, scope: Place, gate: string, given: string): Promise<GateCheckOf> {
  const { id } = await getCheck(db, scope, gate, given);
  await transactionFor(db, scope, (trx) =>
    requestCancel(trx, GATE_CHECK, { organizationId: scope.organizationId, id }),
  );
  return getCheck(db, scope, gate, given);
}

export async function getFeed(db: Db, scope: Place, gate: string, given: string): Promise<EventFeed> {
  const { id } = await getCheck(db, scope, gate, given);
  return { organizationId: scope.organizationId, streamId: id };
}
