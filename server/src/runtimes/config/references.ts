/** What a configuration refers to must be there for who gives it. */
import { findSecretIds } from '../../accounts/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, type Issue } from '../../platform/http/errors.ts';
import { parseReference, resolveReferences } from '../../registry/service.ts';
import type { CapabilityEntryOf, RuntimeConfigOf } from './schema.ts';

type Loc = readonly (string | number)[];

/** @param loc of the configuration in its request */
export async function requireConfigReferences(
  db: Db,
  scope: WorkspaceScope,
  config: RuntimeConfigOf,
  loc: Loc,
): Promise<void> {
  const issues = [
    ...(await findMissingCapabilities(db, scope, config.capabilities, [...loc, 'capabilities'])),
    ...(await findMissingSecrets(db, scope, config.secrets.secret_ids, [...loc, 'secrets', 'secret_ids'])),
  ];
  if (issues.length === 0) return;
  const count = issues.length === 1 ? '1 invalid value' : `${issues.length} invalid values`;
  throw new ApiError('validation_error', `The request holds ${count}.`, { issues });
}

const issue = (loc: Loc, msg: string): Issue => ({ loc, msg, type: 'invalid_value' });

async function findMissingCapabilities(
  db: Db,
  scope: WorkspaceScope,
  entries: readonly CapabilityEntryOf[],
  loc: Loc,
): Promise<Issue[]> {
  if (entries.length === 0) return [];
  const parsed = entries.map(({ name, version }) =>
    parseReference(version === null ? name : `${name}@${version}`),
  );
  const known = parsed.flatMap((reference, index) => (reference ? [{ reference, index }] : []));
  const found = await resolveReferences(
    db,
    scope,
    'capability',
    known.map(({ reference }) => reference),
  );
  const resolutions = new Map(known.map(({ index }, position) => [index, found[position]]));
  const seen = new Set<string>();
  return entries.flatMap(({ name, version }, index): Issue[] => {
    const resolution = resolutions.get(index);
    if (!resolution && version !== null && parseReference(name)) {
      return [issue([...loc, index, 'version'], 'must be an exact version, such as 1.2.0')];
    }
    if (!resolution || resolution.unresolvable_reason === 'not_found') {
      return [issue([...loc, index, 'name'], 'names no capability that you can see')];
    }
    if (resolution.unresolvable_reason) {
      return [issue([...loc, index, 'version'], 'is no version of this capability')];
    }
    if (seen.has(resolution.artifact_id)) return [issue([...loc, index, 'name'], 'is in the list already')];
    seen.add(resolution.artifact_id);
    return [];
  });
}

async function findMissingSecrets(
  db: Db,
  { principal }: WorkspaceScope,
  ids: readonly string[],
  loc: Loc,
): Promise<Issue[]> {
  const known = ids.length > 0 ? await findSecretIds(db, principal.userId, ids) : new Set<string>();
  return ids.flatMap((id, index) =>
    known.has(id) ? [] : [issue([...loc, index], 'names no secret of yours')],
  );
}
