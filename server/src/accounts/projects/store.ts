import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { ApiError, invalidValue, notFound } from '../../platform/errors.ts';
import { isUuid, toSlug } from '../../platform/fields.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { NewProject, ProjectUpdate } from './schema.ts';

const COLUMNS = [
  'id',
  'key',
  'name',
  'description',
  'workspace_id',
  'is_default',
  'created_at',
  'updated_at',
] as const;

function selectProjects(db: Db, scope: Pick<WorkspaceScope, 'organizationId' | 'workspaceId'>) {
  return db
    .selectFrom('projects')
    .select(COLUMNS)
    .where('organization_id', '=', scope.organizationId)
    .where('workspace_id', '=', scope.workspaceId);
}

type ProjectRow = Awaited<ReturnType<ReturnType<typeof selectProjects>['executeTakeFirstOrThrow']>>;

export async function listProjects(db: Db, scope: WorkspaceScope) {
  return selectProjects(db, scope).orderBy('key').execute();
}

interface ProjectPlace extends Record<string, string> {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly project: string;
}

const findBy = (column: 'id' | 'key') =>
  prepared<ProjectPlace, ProjectRow>((db, value) =>
    selectProjects(db, { organizationId: value('organizationId'), workspaceId: value('workspaceId') }).where(
      column,
      '=',
      value('project'),
    ),
  );

const findById = findBy('id');
const findByKey = findBy('key');

/** @param project key or UUID */
function selectProject(db: Db, scope: WorkspaceScope, project: string) {
  return selectProjects(db, scope).where(isUuid(project) ? 'id' : 'key', '=', project);
}

export async function getProject(db: Db, { organizationId, workspaceId }: WorkspaceScope, project: string) {
  const find = isUuid(project) ? findById : findByKey;
  const [found] = await find(db, { organizationId, workspaceId, project });
  if (!found) throw notFound(`Project "${project}"`);
  return found;
}

export async function createProject(db: Db, scope: WorkspaceScope, request: NewProject) {
  const key = request.key ?? toSlug(request.name);
  if (!key || isUuid(key))
    throw invalidValue(['body', 'key'], 'is needed: no key can be made of this name', 'missing');
  return transactionFor(db, scope, async (trx) => {
    const id = uuidv7();
    const insert = trx
      .insertInto('projects')
      .values({
        organization_id: scope.organizationId,
        workspace_id: scope.workspaceId,
        id,
        key,
        name: request.name,
        description: request.description ?? null,
        created_by: scope.principal.userId,
      })
      .returning(COLUMNS);
    const project = await explainViolation(insert.executeTakeFirstOrThrow(), {
      projects_key_key: alreadyExists(`The workspace has a project "${key}".`),
      projects_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`),
    });
    const after = { name: project.name, slug: key };
    await audit(trx, scope, { action: 'project.created', resource: `projects/${id}`, after });
    return project;
  });
}

export async function updateProject(db: Db, scope: WorkspaceScope, project: string, update: ProjectUpdate) {
  return transactionFor(db, scope, async (trx) => {
    const before = await lockProject(trx, scope, project);
    const after = await trx
      .updateTable('projects')
      .set({ ...update, updated_at: new Date().toISOString() })
      .where('organization_id', '=', scope.organizationId)
      .where('id', '=', before.id)
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
    await audit(trx, scope, {
      action: 'project.updated',
      resource: `projects/${before.id}`,
      before: { name: before.name, description: before.description },
      after: { name: after.name, description: after.description },
    });
    return after;
  });
}

export async function deleteProject(db: Db, scope: WorkspaceScope, project: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id, name, key, is_default } = await lockProject(trx, scope, project);
    if (is_default)
      throw new ApiError('conflict_error', 'The default project of a workspace cannot be deleted.');
    await trx
      .deleteFrom('projects')
      .where('organization_id', '=', scope.organizationId)
      .where('id', '=', id)
      .execute();
    await audit(trx, scope, {
      action: 'project.deleted',
      resource: `projects/${id}`,
      before: { name, slug: key },
    });
  });
}

async function lockProject(trx: Trx, scope: WorkspaceScope, project: string) {
  const found = await selectProject(trx, scope, project).forUpdate().executeTakeFirst();
  if (!found) throw notFound(`Project "${project}"`);
  return found;
}
