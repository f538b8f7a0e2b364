import { sql } from 'kysely';
import { audit } from '../platform/audit/audit.ts';
import { isOrgAdmin, type OrgScope } from '../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../platform/db/change-time.ts';
import type { Db } from '../platform/db/connect.ts';
import { type Trx, transactionFor } from '../platform/db/transaction.ts';
import { alreadyExists, explainViolation } from '../platform/db/violations.ts';
import { forbidden } from '../platform/errors.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { setInCatalogue } from '../registry/service.ts';
import { getTaskSet, taskSetNotFound } from './detail.ts';
import { type Member, toMember, toMembers } from './members.ts';
import type { NewTaskSet, TaskSetDetailOf, TaskSetManifest } from './schema.ts';
import { searchWordsOf } from './search-words.ts';

export async function createTaskSet(db: Db, scope: OrgScope, request: NewTaskSet): Promise<TaskSetDetailOf> {
  const members = toMembers(request.members, scope.organizationKey);
  const { name } = request;
  const is_public = request.is_public ?? false;
  if (is_public && scope.principal.apiKey?.workspaceId)
    throw forbidden('This key is limited to one workspace; it cannot publish. Leave out is_public.');
  const own = { organization_id: scope.organizationId, id: uuidv7() };
  return transactionFor(db, scope, async (trx) => {
    const insert = trx.insertInto('task_sets').values({
      ...own,
      name,
      is_public,
      created_by: scope.principal.userId,
      ...manifestColumns(name, request),
    });
    await explainViolation(insert.execute(), {
      task_sets_name_key: alreadyExists(
        `The organization has a task set "${name}"; replace it with PUT, or choose another name.`,
      ),
    });
    await insertMembers(trx, own, members);
    if (is_public) await setInCatalogue(trx, { ...own, kind: 'task_set' }, true);
    const after = await getState(trx, own);
    await audit(trx, scope, { action: 'task_set.created', resource: `task_sets/${own.id}`, after });
    return getTaskSet(trx, scope, name);
  });
}

/** Concurrent replacements are serialized: readers see one or the other, never a mixture. */
export async function replaceTaskSet(
  db: Db,
  scope: OrgScope,
  name: string,
  manifest: TaskSetManifest,
): Promise<TaskSetDetailOf> {
  const members = toMembers(manifest.members, scope.organizationKey);
  return transactionFor(db, scope, async (trx) => {
    const { id } = await lockTaskSet(trx, scope, name);
    const own = { organization_id: scope.organizationId, id };
    const before = await getState(trx, own);
    await updateTaskSet(trx, own).set(manifestColumns(name, manifest)).execute();
    await trx
      .deleteFrom('task_set_members')
      .where('organization_id', '=', own.organization_id)
      .where('task_set_id', '=', id)
      .execute();
    await insertMembers(trx, own, members);
    await audit(trx, scope, {
      action: 'task_set.replaced',
      resource: `task_sets/${id}`,
      before,
      after: await getState(trx, own),
    });
    return getTaskSet(trx, scope, name);
  });
}

/** Adds a member to a set of the organization unless it is a member already. A missing set is created. */
export async function addToTaskSet(
  trx: Trx,
  scope: OrgScope,
  name: string,
  given: { readonly task_name: string; readonly task_version: string },
): Promise<void> {
  const member = toMember(given, scope.organizationKey);
  const { rows } = await sql<{ id: string }>`
    INSERT INTO task_sets (organization_id, id, name, is_public, created_by, search_words, member_count)
    VALUES (${scope.organizationId}, ${uuidv7()}, ${name}, false, ${scope.principal.userId},
            array_to_tsvector(${searchWordsOf({ name, description: null, source: null, tags: null })}::text[]), 0)
    ON CONFLICT (organization_id, name) DO UPDATE SET name = excluded.name RETURNING id`.execute(trx);
  const own = { organization_id: scope.organizationId, id: rows[0]?.id ?? '' };
  const before = await getState(trx, own);
  const { rows: added } = await sql`
    INSERT INTO task_set_members (organization_id, task_set_id, task_name, owner_key, local_name, task_version, precedence, notes,
                                  position)
    SELECT ${own.organization_id}, ${own.id}, ${member.task_name}, ${member.owner_key}, ${member.local_name},
           ${member.task_version}, ${member.precedence}, NULL, coalesce(max(position), 0) + 1
      FROM task_set_members
     WHERE organization_id = ${own.organization_id} AND task_set_id = ${own.id}
    HAVING NOT coalesce(bool_or(owner_key IS NULL AND local_name = ${member.local_name} AND precedence = ${member.precedence}), false)
    RETURNING position`.execute(trx);
  if (added.length === 0) return;
  await updateTaskSet(trx, own)
    .set(({ eb }) => ({ member_count: eb('member_count', '+', 1) }))
    .execute();
  await audit(trx, scope, {
    action: 'task_set.extended',
    resource: `task_sets/${own.id}`,
    before,
    after: await getState(trx, own),
  });
}

export async function deleteTaskSet(db: Db, scope: OrgScope, name: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const { id } = await lockOwnTaskSet(trx, scope, name);
    const own = { organization_id: scope.organizationId, id };
    const before = await getState(trx, own);
    await trx
      .deleteFrom('task_sets')
      .where('organization_id', '=', own.organization_id)
      .where('id', '=', id)
      .execute();
    await setInCatalogue(trx, { ...own, kind: 'task_set' }, false);
    await audit(trx, scope, { action: 'task_set.deleted', resource: `task_sets/${id}`, before });
  });
}

export async function updateTaskSetVisibility(db: Db, scope: OrgScope, name: string, is_public: boolean) {
  return transactionFor(db, scope, async (trx) => {
    const before = await lockOwnTaskSet(trx, scope, name);
    if (before.is_public !== is_public) {
      const own = { organization_id: scope.organizationId, id: before.id };
      await updateTaskSet(trx, own).set({ is_public }).execute();
      await setInCatalogue(trx, { ...own, kind: 'task_set' }, is_public);
      await audit(trx, scope, {
        action: 'task_set.visibility_changed',
        resource: `task_sets/${before.id}`,
        before: { name, is_public: before.is_public },
        after: { name, is_public },
      });
    }
    const readers = is_public ? 'every signed-in user' : 'the members of its organization only';
    const { warnings } = await getTaskSet(trx, scope, name);
    return { is_public, message: `Task set "${name}" can be read by ${readers}.`, warnings };
  });
}

interface Place {
  readonly organization_id: string;
  readonly id: string;
}

/** Fields that are not given are reset. */
function manifestColumns(name: string, manifest: TaskSetManifest) {
  const { description = null, source = null, tags = null, members } = manifest;
  const words = searchWordsOf({ name, description, source, tags });
  const search_words = sql<string>`array_to_tsvector(${words}::text[])`;
  return { description, source, tags, search_words, member_count: members.length };
}

/** The state for the audit log: the set itself, and a digest of its members, which may be very many. */
function getState(trx: Trx, { organization_id, id }: Place) {
  const members = sql<string>`(
    SELECT encode(sha256(convert_to(coalesce(string_agg(
             json_build_array(m.task_name, m.task_version, m.notes)::text, ',' ORDER BY m.position), ''), 'UTF8')), 'hex')
      FROM task_set_members AS m WHERE m.organization_id = ${organization_id} AND m.task_set_id = ${id})`;
  return trx
    .selectFrom('task_sets')
    .select([
      'name',
      'description',
      'source',
      'tags',
      'is_public',
      'member_count',
      members.as('members_sha256'),
    ])
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

function updateTaskSet(trx: Trx, { organization_id, id }: Place) {
  return trx
    .updateTable('task_sets')
    .set({ updated_at: NEXT_CHANGE })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id);
}

async function insertMembers(trx: Trx, { organization_id, id }: Place, members: readonly Member[]) {
  const column = (name: keyof Member) => sql`${members.map((member) => member[name])}::text[]`;
  await sql`
    INSERT INTO task_set_members (organization_id, task_set_id, task_name, owner_key, local_name, task_version, precedence,
                                  notes, position)
    SELECT ${organization_id}, ${id}, given.*
      FROM unnest(${column('task_name')}, ${column('owner_key')}, ${column('local_name')}, ${column('task_version')},
                  ${column('precedence')}, ${column('notes')}) WITH ORDINALITY AS given`.execute(trx);
}

async function lockTaskSet(trx: Trx, scope: OrgScope, name: string) {
  const found = await trx
    .selectFrom('task_sets')
    .select(['id', 'is_public', 'created_by'])
    .where('organization_id', '=', scope.organizationId)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw taskSetNotFound(name);
  return found;
}

/** Locks a set for an operation that only its creator and the organization's admins may perform. */
async function lockOwnTaskSet(trx: Trx, scope: OrgScope, name: string) {
  const found = await lockTaskSet(trx, scope, name);
  if (found.created_by === scope.principal.userId || isOrgAdmin(scope)) return found;
  throw forbidden(
    `Task set "${name}" was created by somebody else; ask them, or an admin of the organization.`,
  );
}
