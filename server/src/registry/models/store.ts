/** Sets and deletes aliases of models, under the lock of the model. */
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, invalidValue, notFound } from '../../platform/errors.ts';
import { type LockedArtifact, lockArtifact } from '../artifacts/lock.ts';
import { getVersion } from '../artifacts/store.ts';
import { precedenceOf } from '../version.ts';

const MAX_ALIASES = 100;

/** @returns the version that the alias stands for now */
export async function setAlias(db: Db, scope: OrgScope, place: string, alias: string, version: string) {
  await transactionFor(db, scope, async (trx) => {
    const model = await lockArtifact(trx, scope, 'model', place);
    const named = await findNamed(trx, scope, model, version);
    if (!named) throw invalidValue(['body', 'version'], `is not a version of "${model.name}"`);
    const before = await dropAlias(trx, scope, model, alias);
    if (!before) await requireRoom(trx, scope, model);
    await trx
      .insertInto('artifact_aliases')
      .values({ ...aliasKey(scope, model, alias), version_id: named.id })
      .execute();
    await touch(trx, scope, model);
    await audit(trx, scope, {
      action: 'model.alias_set',
      resource: `models/${model.id}`,
      before: before && { name: model.name, alias, version: before.version },
      after: { name: model.name, alias, version: named.version },
    });
  });
  return getVersion(db, scope, 'model', place, version);
}

export async function deleteAlias(db: Db, scope: OrgScope, place: string, alias: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const model = await lockArtifact(trx, scope, 'model', place);
    const before = await dropAlias(trx, scope, model, alias);
    if (!before) throw notFound(`Alias "${alias}"`);
    await touch(trx, scope, model);
    await audit(trx, scope, {
      action: 'model.alias_deleted',
      resource: `models/${model.id}`,
      before: { name: model.name, alias, version: before.version },
    });
  });
}

const aliasKey = ({ organizationId }: OrgScope, model: LockedArtifact, alias: string) => ({
  organization_id: organizationId,
  artifact_id: model.id,
  alias,
});

function findNamed(trx: Trx, { organizationId }: OrgScope, model: LockedArtifact, version: string) {
  return trx
    .selectFrom('artifact_versions')
    .select(['id', 'version'])
    .where('organization_id', '=', organizationId)
    .where('artifact_id', '=', model.id)
    .where('precedence', '=', precedenceOf(version))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** @returns the version that the alias stood for; undefined if there was none */
async function dropAlias(trx: Trx, { organizationId }: OrgScope, model: LockedArtifact, alias: string) {
  return trx
    .deleteFrom('artifact_aliases as l')
    .using('artifact_versions as v')
    .where('l.organization_id', '=', organizationId)
    .where('l.artifact_id', '=', model.id)
    .where('l.alias', '=', alias)
    .where('v.organization_id', '=', organizationId)
    .whereRef('v.id', '=', 'l.version_id')
    .returning('v.version')
    .executeTakeFirst();
}

async function requireRoom(trx: Trx, { organizationId }: OrgScope, model: LockedArtifact): Promise<void> {
  const { count } = await trx
    .selectFrom('artifact_aliases')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('artifact_id', '=', model.id)
    .executeTakeFirstOrThrow();
  if (count < MAX_ALIASES) return;
  throw new ApiError('conflict_error', `A model has at most ${MAX_ALIASES} aliases; delete one first.`);
}

async function touch(trx: Trx, { organizationId }: OrgScope, model: LockedArtifact): Promise<void> {
  await trx
    .updateTable('artifacts')
    .set({ updated_at: NEXT_CHANGE })
    .where('organization_id', '=', organizationId)
    .where('id', '=', model.id)
    .execute();
}
