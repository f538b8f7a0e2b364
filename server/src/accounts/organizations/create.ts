/** Creates organizations, which are never empty: each gets an owner, a first workspace and a first project. */
import { randomInt } from 'node:crypto';
import { type Actor, auditAs } from '../../platform/audit/audit.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { toSlug } from '../../platform/fields.ts';
import { uuidv7 } from '../../platform/uuid.ts';

export interface NewOrganization {
  readonly name: string;
  /** Slugs; derived from the name, `main` and `default` if not given. */
  readonly key?: string;
  readonly workspace?: string;
  readonly project?: string;
}

export interface CreatedOrganization {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

export async function createOrganization(
  trx: Trx,
  actor: Actor,
  request: NewOrganization,
): Promise<CreatedOrganization> {
  const { userId } = actor;
  const organizationId = uuidv7();
  const workspaceId = uuidv7();
  const projectId = uuidv7();
  const key = request.key ?? toSlug(request.name);
  const taken = await insertNumbered(trx, organizationId, key || 'organization', request.name);
  await trx
    .insertInto('memberships')
    .values({
      organization_id: organizationId,
      id: uuidv7(),
      user_id: userId,
      role: 'owner',
      first_used_at: new Date().toISOString(),
    })
    .execute();
  const common = { organization_id: organizationId, is_default: true, created_by: userId };
  const workspace = request.workspace ?? 'main';
  await trx
    .insertInto('workspaces')
    .values({ ...common, id: workspaceId, key: workspace, name: workspace })
    .execute();
  const project = request.project ?? 'default';
  await trx
    .insertInto('projects')
    .values({ ...common, id: projectId, workspace_id: workspaceId, key: project, name: project })
    .execute();
  await auditAs(trx, organizationId, actor, {
    action: 'organization.created',
    resource: `organizations/${organizationId}`,
    after: { name: request.name, slug: taken },
  });
  return { organizationId, workspaceId, projectId };
}

/** Tries `acme`, then `acme-2`, `acme-3`…, then a random number for common names. A taken slug is not an error. */
async function insertNumbered(trx: Trx, id: string, slug: string, name: string): Promise<string> {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number <= 20 ? number : randomInt(21, 2 ** 40)}`;
    const key = slug.slice(0, 63 - suffix.length) + suffix;
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('organizations')
      .values({ id, key, name })
      .onConflict((conflict) => conflict.constraint('organizations_key_key').doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows === 1n) return key;
  }
}
