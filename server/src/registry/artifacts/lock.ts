/** Locks the row of an artifact for a change, and checks the permission of the caller. */
import { isOrgAdmin, type OrgScope } from '../../platform/auth/principal.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { type Kind, titleOf } from '../kinds.ts';
import { parsePlace } from '../references.ts';

export interface LockedArtifact {
  readonly id: string;
  readonly name: string;
  readonly is_public: boolean;
  readonly created_by: string;
  readonly version_count: number;
}

/**
 * Finds artifacts of the organization itself only, not public ones of others.
 * @param place `name`, or `org/name` of its own
 */
export async function lockArtifact(
  trx: Trx,
  scope: OrgScope,
  kind: Kind,
  place: string,
): Promise<LockedArtifact> {
  const parsed = parsePlace(place);
  const isOwn = parsed && (parsed.owner === undefined || parsed.owner === scope.organizationKey);
  const found = isOwn ? await selectForUpdate(trx, scope, kind, parsed.name) : undefined;
  if (!found?.version_count) throw notFound(`${titleOf(kind)} "${place}"`);
  return found;
}

function selectForUpdate(trx: Trx, { organizationId }: OrgScope, kind: Kind, name: string) {
  return trx
    .selectFrom('artifacts')
    .select(['id', 'name', 'is_public', 'created_by', 'version_count'])
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
}

export function requireCreator(scope: OrgScope, kind: Kind, artifact: LockedArtifact): void {
  if (artifact.created_by === scope.principal.userId || isOrgAdmin(scope)) return;
  throw forbidden(
    `Only who published the first version of this ${kind}, or an admin of the organization, may do this; ask one of them.`,
  );
}
