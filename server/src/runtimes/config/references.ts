/** Checks that a configuration refers only to capabilities and secrets that its author can use. */
import { findSecretIds } from '../../accounts/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import {
  parseReference,
  type Reference,
  type Resolution,
  resolveReferences,
  shownName,
} from '../../registry/service.ts';
import type { ConfiguredCapability } from '../capabilities/configured.ts';
import { findFolderConflict } from '../capabilities/folder-names.ts';
import type { CapabilityEntryOf, RuntimeConfigOf } from '../config-schema.ts';

type Loc = readonly (string | number)[];

/** The owner, whose capabilities and secrets a configuration may name. */
type ConfigOwner = Pick<WorkspaceScope, 'organizationId' | 'role' | 'principal'>;

/**
 * @param loc of the configuration in its request
 * @returns the capabilities that it lists
 */
export async function requireConfigReferences(
  db: Db,
  scope: ConfigOwner,
  config: RuntimeConfigOf,
  loc: Loc,
): Promise<ConfiguredCapability[]> {
  const capabilities = await findCapabilities(db, scope, config.capabilities, [...loc, 'capabilities']);
  const issues = [
    ...capabilities.issues,
    ...(await findMissingSecrets(db, scope, config.secrets.secret_ids, [...loc, 'secrets', 'secret_ids'])),
  ];
  if (issues.length === 0) return capabilities.found;
  throw invalidValues(issues);
}

const issue = (loc: Loc, msg: string): Issue => ({ loc, msg, type: 'invalid_value' });

interface FoundCapabilities {
  readonly found: ConfiguredCapability[];
  readonly issues: Issue[];
}

async function findCapabilities(
  db: Db,
  scope: ConfigOwner,
  entries: readonly CapabilityEntryOf[],
  loc: Loc,
): Promise<FoundCapabilities> {
  const found: ConfiguredCapability[] = [];
  const issues: Issue[] = [];
  if (entries.length === 0) return { found, issues };
  const parsed = entries.map(({ name, version }) =>
    parseReference(version === null ? name : `${name}@${version}`),
  );
  const known = parsed.flatMap((reference, index) => (reference ? [{ reference, index }] : []));
  const resolved = await resolveReferences(
    db,
    scope,
    'capability',
    known.map(({ reference }) => reference),
  );
  const resolutions = new Map(
    known.map(({ index, reference }, position) => [index, { reference, resolution: resolved[position] }]),
  );
  for (const [index, entry] of entries.entries()) {
    const chosen = choose(scope, entry, resolutions.get(index), found);
    if (!Array.isArray(chosen)) found.push(chosen);
    else issues.push(issue([...loc, index, chosen[0]], chosen[1]));
  }
  return { found, issues };
}

interface Resolved {
  readonly reference: Reference;
  readonly resolution: Resolution | undefined;
}

/** @returns the version, or the field with its error */
function choose(
  scope: ConfigOwner,
  { name, version, enabled }: CapabilityEntryOf,
  resolved: Resolved | undefined,
  others: readonly ConfiguredCapability[],
): ConfiguredCapability | [field: string, message: string] {
  if (!resolved && version !== null && parseReference(name)) {
    return ['version', 'must be an exact version, such as 1.2.0'];
  }
  const { reference, resolution } = resolved ?? {};
  if (!reference || !resolution || resolution.unresolvable_reason === 'not_found') {
    return ['name', 'names no capability that you can see'];
  }
  if (resolution.unresolvable_reason) return ['version', 'is not a version of this capability'];
  const { owner_id: ownerId, artifact_id: artifactId, version_id: versionId } = resolution;
  if (others.some((other) => other.artifactId === artifactId)) return ['name', 'is in the list already'];
  const chosen = {
    ownerId,
    artifactId,
    versionId,
    name: shownName(scope, ownerId, reference),
    version: resolution.resolved_version,
    enabled,
    isPinned: version !== null,
  };
  const conflict = findFolderConflict(
    chosen.name,
    others.map((other) => other.name),
  );
  return conflict ? ['name', conflict] : chosen;
}

async function findMissingSecrets(
  db: Db,
  { principal }: ConfigOwner,
  ids: readonly string[],
  loc: Loc,
): Promise<Issue[]> {
  const known = ids.length > 0 ? await findSecretIds(db, principal.userId, ids) : new Set<string>();
  return ids.flatMap((id, index) =>
    known.has(id) ? [] : [issue([...loc, index], 'names no secret of yours')],
  );
}
