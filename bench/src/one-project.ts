/** A read by key as the bare servers do it: named, so that PostgreSQL plans it once. */
export const ONE_PROJECT = {
  name: 'one-project',
  text: `SELECT id, key, name, description, workspace_id, is_default, created_at, updated_at
           FROM projects WHERE organization_id = $1 AND workspace_id = $2 AND key = $3`,
};
