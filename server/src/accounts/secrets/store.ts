import { actorOf, auditAccount } from '../../platform/audit/audit.ts';
import type { UserScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { notFound } from '../../platform/errors.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import type { SealedTable } from '../../platform/secrets/rewrap.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { SecretQuery } from './schema.ts';

const COLUMNS = ['id', 'name', 'masked_value', 'created_at', 'updated_at'] as const;
const NAME_TAKEN = {
  user_secrets_name_key: alreadyExists('You have a secret of this name; replace it with PUT.'),
};

export const sealedUserSecrets: SealedTable = {
  table: 'user_secrets',
  primaryKey: ['id'],
  owner: ({ id }) => String(id),
};

export async function listSecrets(db: Db, { principal }: UserScope, query: SecretQuery) {
  const mine = db.selectFrom('user_secrets').where('user_id', '=', principal.userId);
  const { total } = await mine
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const secrets = await mine
    .select(COLUMNS)
    .orderBy('name')
    .limit(query.limit)
    .offset(offsetOf(query))
    .execute();
  return { secrets, ...toPage(total, query) };
}

export async function getSecret(db: Db, { principal }: UserScope, id: string) {
  const secret = await db
    .selectFrom('user_secrets')
    .select(COLUMNS)
    .where('user_id', '=', principal.userId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!secret) throw notFound('Secret');
  return secret;
}

export async function createSecret(
  db: Db,
  vault: Vault,
  scope: UserScope,
  request: { name: string; value: string },
) {
  return transactionFor(db, scope, async (trx) => {
    const id = uuidv7();
    const { userId } = scope.principal;
    const insert = trx
      .insertInto('user_secrets')
      .values({ id, user_id: userId, name: request.name, ...seal(vault, id, request.value) })
      .returning(COLUMNS);
    const secret = await explainViolation(insert.executeTakeFirstOrThrow(), NAME_TAKEN);
    const after = { name: request.name };
    await auditAccount(trx, actorOf(scope), { action: 'secret.created', resource: `secrets/${id}`, after });
    return secret;
  });
}

export async function replaceSecret(
  db: Db,
  vault: Vault,
  scope: UserScope,
  id: string,
  request: { name?: string | undefined; value: string },
) {
  return transactionFor(db, scope, async (trx) => {
    const before = await getSecret(trx, scope, id);
    const update = trx
      .updateTable('user_secrets')
      .set({
        ...seal(vault, before.id, request.value),
        ...(request.name && { name: request.name }),
        updated_at: new Date().toISOString(),
      })
      .where('user_id', '=', scope.principal.userId)
      .where('id', '=', id)
      .returning(COLUMNS);
    const secret = await explainViolation(update.executeTakeFirst(), NAME_TAKEN);
    if (!secret) throw notFound('Secret');
    const names = { before: { name: before.name }, after: { name: secret.name } };
    await auditAccount(trx, actorOf(scope), {
      action: 'secret.replaced',
      resource: `secrets/${id}`,
      ...names,
    });
    return secret;
  });
}

export async function deleteSecret(db: Db, scope: UserScope, id: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const deleted = await trx
      .deleteFrom('user_secrets')
      .where('user_id', '=', scope.principal.userId)
      .where('id', '=', id)
      .returning('name')
      .executeTakeFirst();
    if (!deleted) throw notFound('Secret');
    await auditAccount(trx, actorOf(scope), {
      action: 'secret.deleted',
      resource: `secrets/${id}`,
      before: deleted,
    });
  });
}

function seal(vault: Vault, id: string, value: string) {
  return { ...vault.seal(value, id), masked_value: mask(value) };
}

/** Four characters help to recognize a long secret; a short one shows none. */
const mask = (value: string) => (value.length >= 16 ? `…${value.slice(-4)}` : '…');
