import { audit } from '../../platform/audit/audit.ts';
import { isOrgAdmin, type OrgScope, type UserScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { lockOrganization } from './lock.ts';
import { type PlatformLimits, runtimeLimits } from './runtime-limits.ts';
import type { OrganizationUpdate } from './schema.ts';

function selectOrganizations(db: Db) {
  return db
    .selectFrom('organizations as o')
    .select([
      'o.id',
      'o.key',
      'o.name',
      'o.description',
      'o.is_active',
      'o.max_members',
      'o.trace_retention_days',
    ])
    .select([
      'o.max_sandbox_runtime_seconds',
      'o.default_sandbox_runtime_seconds',
      'o.max_concurrent_sandboxes',
    ])
    .select(['o.created_at', 'o.updated_at'])
    .select(({ selectFrom }) =>
      selectFrom('memberships as m')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('m.organization_id', '=', 'o.id')
        .as('member_count'),
    );
}

type OrganizationRow = Awaited<ReturnType<ReturnType<typeof selectOrganizations>['executeTakeFirstOrThrow']>>;

function toOrganization(platform: PlatformLimits, row: OrganizationRow) {
  const { max_members, ...shown } = row;
  return {
    ...shown,
    ...runtimeLimits(platform, row),
    member_count: row.member_count ?? 0,
    // Published clients expect a number here, and fail on null.
    ...(max_members !== null && { max_members }),
  };
}

export async function getOrganization(db: Db, platform: PlatformLimits, scope: OrgScope) {
  const row = await selectOrganizations(db).where('o.id', '=', scope.organizationId).executeTakeFirst();
  if (!row) throw notFound('Organization');
  return toOrganization(platform, row);
}

/** Lists the caller's organizations; for a key limited to one, only that one. */
export async function listOrganizations(db: Db, platform: PlatformLimits, { principal }: UserScope) {
  let query = selectOrganizations(db)
    .innerJoin('memberships as mine', 'mine.organization_id', 'o.id')
    .where('mine.user_id', '=', principal.userId)
    .where('o.is_active', '=', true)
    .orderBy('mine.id');
  if (principal.apiKey?.organizationId) query = query.where('o.id', '=', principal.apiKey.organizationId);
  return (await query.execute()).map((row) => toOrganization(platform, row));
}

export async function listOrganizationLinks(db: Db, userId: string) {
  return db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.key', 'o.name'])
    .where('m.user_id', '=', userId)
    .where('o.is_active', '=', true)
    .orderBy('m.id')
    .execute();
}

export async function updateOrganization(db: Db, scope: OrgScope, update: OrganizationUpdate): Promise<void> {
  requireRights(scope, update);
  await transactionFor(db, scope, async (trx) => {
    const { organizationId } = scope;
    await lockOrganization(trx, organizationId);
    const before = await selectOrganizations(trx)
      .where('o.id', '=', organizationId)
      .executeTakeFirstOrThrow();
    await trx
      .updateTable('organizations')
      .set({ ...update, updated_at: new Date().toISOString() })
      .where('id', '=', organizationId)
      .execute();
    const names = Object.keys(update) as (keyof OrganizationUpdate)[];
    await audit(trx, scope, {
      action: 'organization.updated',
      resource: `organizations/${organizationId}`,
      before: Object.fromEntries(names.map((name) => [name, before[name] ?? null])),
      after: Object.fromEntries(names.map((name) => [name, update[name] ?? null])),
    });
  });
}

/** Only the platform decides the member limit; admins decide everything else. */
function requireRights(scope: OrgScope, { max_members, ...own }: OrganizationUpdate): void {
  const isForPlatform = max_members !== undefined;
  if (isForPlatform && !scope.principal.isPlatformAdmin)
    throw forbidden('Only a platform admin can change "max_members".');
  if (isOrgAdmin(scope)) return;
  if (!isForPlatform || Object.keys(own).length > 0) {
    throw forbidden(
      'A platform admin without the role "admin" in the organization can only change "max_members".',
    );
  }
}
