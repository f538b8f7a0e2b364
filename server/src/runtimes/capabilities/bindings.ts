/** Reads the capabilities of a runtime for responses. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { type InstalledVersion, installedOf } from '../../registry/service.ts';
import type { BindingOf } from './schema.ts';

export type Flags = Readonly<Record<string, boolean>>;

export interface BindingRow extends Omit<InstalledVersion, 'manifest'> {
  readonly id: string;
  readonly owner_id: string;
  readonly artifact_id: string;
  readonly version_id: string;
  readonly capability_name: string;
  readonly version: string;
  readonly enabled: boolean;
  /** The flags that were set explicitly. */
  readonly flags: Flags;
  readonly updated_at: string;
}

type Place = Pick<WorkspaceScope, 'organizationId' | 'role'>;

const COLUMNS = sql`b.id, b.owner_id, b.artifact_id, b.version_id, b.capability_name, b.version, b.enabled, b.flags, b.updated_at,
  v.digest, v.component_counts, v.default_flags, v.description, v.is_available, v.latest_version`;

/** Lists bindings in order of installation. */
export async function listBindings(db: Db, place: Place, runtimeId: string): Promise<BindingRow[]> {
  const { rows } = await sql<BindingRow>`
    SELECT ${COLUMNS} FROM runtime_capabilities AS b CROSS JOIN ${installedOf(place, 'b')} AS v
     WHERE b.organization_id = ${place.organizationId} AND b.runtime_id = ${runtimeId}
     ORDER BY b.id`.execute(db);
  return rows;
}

/** Returns a binding with the details of its manifest. */
export async function getBinding(
  db: Db,
  place: Place,
  runtimeId: string,
  id: string,
): Promise<BindingRow & Pick<InstalledVersion, 'manifest'>> {
  const { rows } = await sql<BindingRow & Pick<InstalledVersion, 'manifest'>>`
    SELECT ${COLUMNS}, v.manifest FROM runtime_capabilities AS b CROSS JOIN ${installedOf(place, 'b')} AS v
     WHERE b.organization_id = ${place.organizationId} AND b.runtime_id = ${runtimeId} AND b.id = ${id}`.execute(
    db,
  );
  const [found] = rows;
  if (!found) throw bindingNotFound(id);
  return found;
}

export const bindingNotFound = (id: string) => notFound(`Capability binding "${id}"`);

/** Adds the default flags of the version to those set. After a deletion of the version, only the set flags are known. */
export const effectiveFlags = ({
  flags,
  default_flags,
}: Pick<BindingRow, 'flags' | 'default_flags'>): Flags => ({
  ...default_flags,
  ...flags,
});

const NO_COMPONENTS = { agents: 0, tools: 0, skills: 0, hooks: 0, mcp_servers: 0, workers: 0 };

export function toBinding({ organizationId }: Place, row: BindingRow): BindingOf {
  return {
    id: row.id,
    artifact_id: row.artifact_id,
    capability_name: row.capability_name,
    version: row.version,
    enabled: row.enabled,
    component_counts: { ...NO_COMPONENTS, ...row.component_counts },
    flags: effectiveFlags(row),
    description: row.description,
    latest_version: row.latest_version,
    source: row.owner_id === organizationId ? 'organization' : 'public',
  };
}
