/** The log of a sandbox: its state transitions and network requests, from the beginning. */
import { sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { Cursors } from '../../platform/http/pages.ts';
import type { LogEntry, LogQuery } from './schema.ts';
import { getOwnSandbox } from './store.ts';

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
