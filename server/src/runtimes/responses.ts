/** Runtime rows and their sandboxes as responses. */
import { sql } from 'kysely';
import { INSTANCE_COLUMNS, type InstanceRow, toInstance } from './instance.ts';
import type { RuntimeOf } from './schema.ts';

type OwnColumns = Omit<RuntimeOf, 'owned_by_me' | 'instance' | 'created_by'> & {
  readonly created_by: string;
};

export type RuntimeRow = OwnColumns & (InstanceRow | { readonly sandbox_id: null });

/** Columns of the rows `r` of runtimes, `p` of their projects and `s` of their sandboxes. */
export const RUNTIME_COLUMNS = sql`r.id, r.key, r.name, r.description, r.status, r.config_digest,
  r.config ->> 'version' AS config_version, r.workspace_id, p.id AS project_id, p.key AS project_key, p.name AS project_name,
  r.created_by, r.created_at, r.updated_at, ${INSTANCE_COLUMNS}`;

/** Joins for a row `r` of runtimes. A deleted project and a sandbox that is still starting yield null. */
export const RUNTIME_JOINS = sql`
  LEFT JOIN projects AS p ON p.organization_id = r.organization_id AND p.workspace_id = r.workspace_id AND p.id = r.project_id
  LEFT JOIN sandboxes AS s ON s.organization_id = r.organization_id AND s.id = r.sandbox_id AND s.state <> 'starting'`;

/** @param userId id of the reader */
export function toRuntime(row: RuntimeRow, userId: string): RuntimeOf {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    status: row.status,
    config_digest: row.config_digest,
    config_version: row.config_version,
    workspace_id: row.workspace_id,
    project_id: row.project_id,
    project_key: row.project_key,
    project_name: row.project_name,
    created_by: row.created_by,
    owned_by_me: row.created_by === userId,
    created_at: row.created_at,
    updated_at: row.updated_at,
    instance: row.sandbox_id === null ? null : toInstance(row),
  };
}
