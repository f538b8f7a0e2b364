/** Checks that the resources that a session request refers to exist in its workspace. */
import type { Db } from '../platform/db/connect.ts';
import { invalidValue } from '../platform/errors.ts';
import { isRuntime } from '../runtimes/service.ts';
import type { Viewer } from './visibility.ts';

interface References {
  readonly project_id?: string | null | undefined;
  readonly group_id?: string | null | undefined;
  readonly runtime_id?: string | null | undefined;
}

export async function requireReferences(db: Db, place: Viewer, given: References): Promise<void> {
  await requireRuntime(db, place, given);
  for (const [name, table] of [
    ['project_id', 'projects'],
    ['group_id', 'session_groups'],
  ] as const) {
    const id = given[name];
    if (id && !(await isThere(db, place, table, id))) throw missing(name, LABELS[table]);
  }
}

export async function requireRuntime(db: Db, place: Viewer, { runtime_id }: References): Promise<void> {
  if (runtime_id && !(await isRuntime(db, place, runtime_id))) throw missing('runtime_id', 'runtime');
}

const LABELS = { projects: 'project', session_groups: 'session group' } as const;

const missing = (name: string, what: string) =>
  invalidValue(['body', name], `names no ${what} of this workspace`);

async function isThere(
  db: Db,
  { organizationId, workspaceId }: Viewer,
  table: keyof typeof LABELS,
  id: string,
): Promise<boolean> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return found !== undefined;
}
