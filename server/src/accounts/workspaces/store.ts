import { audit } from '../../platform/audit/audit.ts';
import { isOrgAdmin, type OrgScope, type WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../../platform/db/violations.ts';
import { ApiError, invalidValue, notFound } from '../../platform/errors.ts';
import { isUuid, toSlug } from '../../platform/fields.ts';
import { abandonPrefix } from '../../platform/object-storage/abandoned-prefixes.ts';
import { workspacePrefix } from '../../platform/object-storage/prefixes.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { NewWorkspace, WorkspaceUpdate } from './schema.ts';

function selectWorkspaces(db: Db, organizationId: string) {
  return db
    .selectFrom('workspaces as w')
    .select([
      'w.id',
      'w.key',
      'w.name',
      'w.description',
      'w.organization_id',
      'w.is_default',
      'w.is_restricted',
      'w.record_content',
    ])
    .select(['w.created_by', 'w.created_at', 'w.updated_at'])
    .select(({ selectFrom }) =>
      selectFrom('projects as p')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('p.organization_id', '=', 'w.organization_id')
        .whereRef('p.workspace_id', '=', 'w.id')
        .as('project_count'),
    )
    .where('w.organization_id', '=', organizationId);
}

type WorkspaceRow = Awaited<ReturnType<ReturnType<typeof selectWorkspaces>['executeTakeFirstOrThrow']>>;

function toWorkspace({ organization_id, project_count, ...row }: WorkspaceRow) {
  return { ...row, org_id: organization_id, project_count: project_count ?? 0 };
}

/** Lists all workspaces for admins; for others the open ones and those that list them. */
export async function listWorkspaces(db: Db, scope: OrgScope) {
  let query = selectWorkspaces(db, scope.organizationId).orderBy('w.key');
  if (!isOrgAdmin(scope)) {
    query = query.where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('w.is_restricted', '=', false),
        exists(
          selectFrom('workspace_members as wm')
            .select('wm.user_id')
            .whereRef('wm.organization_id', '=', 'w.organization_id')
            .whereRef('wm.workspace_id', '=', 'w.id')
            .where('wm.user_id', '=', scope.principal.userId),
        ),
      ]),
    );
  }
  const only = scope.principal.apiKey?.workspaceId;
  if (only) query = query.where('w.id', '=', only);
  return (await query.execute()).map(toWorkspace);
}

export async function getWorkspace(db: Db, scope: WorkspaceScope) {
  const row = await selectWorkspaces(db, scope.organizationId)
    .where('w.id', '=', scope.workspaceId)
    .executeTakeFirst();
  if (!row) throw notFound(`Workspace "${scope.workspaceKey}"`);
  return toWorkspace(row);
}

/** A workspace starts with a project, so that there is always one to use. */
export async function createWorkspace(db: Db, scope: OrgScope, request: NewWorkspace) {
  const key = request.key ?? toSlug(request.name);
  if (!key || isUuid(key))
    throw invalidValue(['body', 'key'], 'is needed: no key can be made of this name', 'missing');
  return transactionFor(db, scope, async (trx) => {
    const id = uuidv7();
    const common = { organization_id: scope.organizationId, created_by: scope.principal.userId };
    const values = { ...common, id, key, name: request.name, description: request.description ?? null };
    const { is_restricted, record_content } = request;
    const insert = trx.insertInto('workspaces').values({ ...values, is_restricted, record_content });
    await explainViolation(insert.execute(), {
      workspaces_key_key: alreadyExists(`The organization has a workspace "${key}".`),
    });
    await trx
      .insertInto('projects')
      .values({
        ...common,
        id: uuidv7(),
        workspace_id: id,
        key: 'default',
        name: 'default',
        is_default: true,
      })
      .execute();
    const after = { name: request.name, slug: key, is_restricted, record_content };
    await audit(trx, scope, { action: 'workspace.created', resource: `workspaces/${id}`, after });
    return toWorkspace(
      await selectWorkspaces(trx, scope.organizationId).where('w.id', '=', id).executeTakeFirstOrThrow(),
    );
  });
}

export async function updateWorkspace(db: Db, scope: WorkspaceScope, update: WorkspaceUpdate) {
  return transactionFor(db, scope, async (trx) => {
    const { organizationId, workspaceId } = scope;
    const one = selectWorkspaces(trx, organizationId).where('w.id', '=', workspaceId);
    const before = await one.forUpdate('w').executeTakeFirst();
    if (!before) throw notFound(`Workspace "${scope.workspaceKey}"`);
    await trx
      .updateTable('workspaces')
      .set({ ...update, updated_at: new Date().toISOString() })
      .where('organization_id', '=', organizationId)
      .where('id', '=', workspaceId)
      .execute();
    const row = await one.executeTakeFirstOrThrow();
    await audit(trx, scope, {
      action: 'workspace.updated',
      resource: `workspaces/${workspaceId}`,
      before: toAudited(before),
      after: toAudited(row),
    });
    return toWorkspace(row);
  });
}

const toAudited = ({ name, description, is_restricted, record_content }: WorkspaceRow) => ({
  name,
  description,
  is_restricted,
  record_content,
});

/** Content of other domains in a workspace, for its deletion. */
export interface WorkspaceContent {
  /** Deletes content that may be too much for one statement. A repeated deletion continues. */
  readonly empty: (db: Db, scope: WorkspaceScope) => Promise<void>;
  /**
   * Deletes content that was added since and does not cascade from the workspace's row. That row is locked, so nothing more can be added.
   */
  readonly forgetRest: (trx: Trx, scope: WorkspaceScope) => Promise<void>;
}

export async function deleteWorkspace(
  db: Db,
  scope: WorkspaceScope,
  content: WorkspaceContent,
): Promise<void> {
  const { name, is_default } = await getWorkspace(db, scope);
  if (is_default)
    throw new ApiError('conflict_error', 'The default workspace of an organization cannot be deleted.');
  await content.empty(db, scope);
  await transactionFor(db, scope, async (trx) => {
    const one = selectWorkspaces(trx, scope.organizationId).where('w.id', '=', scope.workspaceId);
    if (!(await one.forUpdate('w').executeTakeFirst())) throw notFound(`Workspace "${scope.workspaceKey}"`);
    await content.forgetRest(trx, scope);
    await trx
      .deleteFrom('workspaces')
      .where('organization_id', '=', scope.organizationId)
      .where('id', '=', scope.workspaceId)
      .execute();
    await abandonPrefix(trx, scope.organizationId, workspacePrefix(scope.organizationId, scope.workspaceId));
    const entry = { action: 'workspace.deleted', resource: `workspaces/${scope.workspaceId}` };
    await audit(trx, scope, { ...entry, before: { name, slug: scope.workspaceKey } });
  });
}
