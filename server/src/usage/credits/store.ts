/** Credits of an organization: the balance, the ledger, and manual adjustments. */
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { Cursors } from '../../platform/http/responses/pages.ts';
import { adjust, balanceOf } from '../../platform/metering/credits.ts';
import { lockAvailable } from '../../platform/metering/reservations.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import {
  type CreditAdjustmentOf,
  type CreditBalanceOf,
  type CreditMode,
  type CreditTransactionOf,
  LOW_BALANCE,
  type TransactionQuery,
} from './schema.ts';

export async function getCredits(
  db: Db,
  { organizationId }: Pick<OrgScope, 'organizationId'>,
  mode: CreditMode,
): Promise<CreditBalanceOf> {
  const { rows } = await sql<{ balance: number; reserved: number }>`
    SELECT ${balanceOf(sql.val(organizationId))} AS balance,
           (SELECT coalesce(sum(amount), 0) FROM credit_reservations
             WHERE organization_id = ${organizationId} AND expires_at > statement_timestamp()) AS reserved`.execute(
    db,
  );
  const { balance = 0, reserved = 0 } = rows[0] ?? {};
  const available = balance - reserved;
  return {
    balance,
    reserved,
    available,
    mode,
    is_low_balance: mode === 'enforced' && available < LOW_BALANCE,
  };
}

const COLUMNS = sql.raw('id, kind, reference, amount, actor_id, note, created_at');
/** Sorts after all ids, which are ordered by time. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function listTransactions(
  db: Db,
  signer: Signer,
  { organizationId }: OrgScope,
  { limit, cursor }: TransactionQuery,
) {
  const cursors = new Cursors<{ id: string }>(signer, `credit-transactions ${organizationId}`);
  const before = cursors.read(cursor, {})?.id;
  const isNext = before === undefined ? sql`id <= ${LAST_ID}` : sql`id < ${before}`;
  const { rows } = await sql<CreditTransactionOf>`
    SELECT ${COLUMNS} FROM credit_transactions
     WHERE organization_id = ${organizationId} AND ${isNext}
     ORDER BY organization_id DESC, id DESC LIMIT ${limit + 1}`.execute(db);
  return cursors.toPage(rows, limit, {}, ({ id }) => ({ id }));
}

export async function adjustCredits(
  db: Db,
  scope: OrgScope,
  { amount, note = null, reference }: CreditAdjustmentOf,
): Promise<CreditTransactionOf> {
  const { organizationId, principal } = scope;
  const entry = { organizationId, reference: reference ?? `adjustment-${uuidv7()}` };
  return transactionFor(db, scope, async (trx) => {
    if (amount < 0) await requireAvailable(trx, entry, -amount);
    const isNew = await adjust(trx, { ...entry, amount, actorId: principal.userId, note });
    if (!isNew)
      throw new ApiError(
        'already_exists_error',
        `There is a transaction with the reference "${entry.reference}" already; nothing was changed.`,
      );
    const { rows } = await sql<CreditTransactionOf>`
      SELECT ${COLUMNS} FROM credit_transactions
       WHERE organization_id = ${organizationId} AND reference = ${entry.reference}`.execute(trx);
    const [made] = rows;
    if (!made) throw new Error('what was appended is there');
    const after = { amount, reference: made.reference, note };
    await audit(trx, scope, { action: 'credits.adjusted', resource: `credits/${made.id}`, after });
    return made;
  });
}

async function requireAvailable(
  trx: Trx,
  entry: { readonly organizationId: string; readonly reference: string },
  wanted: number,
): Promise<void> {
  const available = await lockAvailable(trx, entry);
  if (wanted > available)
    throw invalidValue(
      ['body', 'amount'],
      `takes back ${wanted} credits, and ${Math.max(0, available)} are available`,
    );
}
