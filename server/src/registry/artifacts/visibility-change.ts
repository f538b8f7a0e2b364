/** Makes an artifact public or private. */
import { audit } from '../../platform/audit/audit.ts';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { setInCatalogue } from '../catalogue.ts';
import { type Kind, PLURALS } from '../kinds.ts';
import { lockArtifact, requireCreator } from './lock.ts';

export async function updateVisibility(
  db: Db,
  scope: OrgScope,
  kind: Kind,
  place: string,
  isPublic: boolean,
) {
  const { organizationId } = scope;
  return transactionFor(db, scope, async (trx) => {
    const artifact = await lockArtifact(trx, scope, kind, place);
    requireCreator(scope, kind, artifact);
    const canonicalName = `${scope.organizationKey}/${artifact.name}`;
    if (artifact.is_public === isPublic) return toResponse(kind, canonicalName, isPublic, 'already');
    await trx
      .updateTable('artifacts')
      .set({ is_public: isPublic, updated_at: NEXT_CHANGE })
      .where('organization_id', '=', organizationId)
      .where('id', '=', artifact.id)
      .execute();
    await setInCatalogue(trx, { kind, organization_id: organizationId, id: artifact.id }, isPublic);
    await audit(trx, scope, {
      action: `${kind}.visibility_changed`,
      resource: `${PLURALS[kind]}/${artifact.id}`,
      before: { name: artifact.name, is_public: artifact.is_public },
      after: { name: artifact.name, is_public: isPublic },
    });
    return toResponse(kind, canonicalName, isPublic, 'now');
  });
}

function toResponse(kind: Kind, name: string, isPublic: boolean, since: 'now' | 'already') {
  const state = isPublic ? 'public: anyone who is signed in can see it' : 'private: only members can see it';
  return { is_public: isPublic, message: `The ${kind} "${name}" is ${since} ${state}.` };
}
