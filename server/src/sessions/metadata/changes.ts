/** Changes the metadata of a session; the only place that does so. */
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { audit } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { NEXT_CHANGE } from '../../platform/db/change-time.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import { appendState } from '../events.ts';
import { getSessionRow } from '../lookup.ts';
import type { SessionRow } from '../responses.ts';
import type { SessionOf } from '../schema.ts';
import { toSearchText } from '../search-text.ts';
import { refuseEvaluated } from './evaluated.ts';

/** Undefined fields are unchanged, null clears a field. */
export interface SessionChanges {
  readonly title?: string | null | undefined;
  readonly model?: string | undefined;
  readonly agent?: string | null | undefined;
  readonly labels?: SessionOf['labels'] | null | undefined;
  readonly visibility?: SessionOf['visibility'] | undefined;
  readonly project_id?: string | null | undefined;
  readonly group_id?: string | null | undefined;
  readonly runtime_id?: string | null | undefined;
  /** Ignored once messages are stored. */
  readonly message_count?: number | undefined;
}

/** Changes a session that the caller has locked. A change without an effect leaves no trace, not even in `updated_at`. */
export async function changeSession(
  trx: Trx,
  scope: WorkspaceScope,
  id: string,
  changes: SessionChanges,
): Promise<SessionRow> {
  const before = await getSessionRow(trx, scope, id);
  const changed = findChanged(before, changes);
  if (Object.keys(changed).length === 0) return before;
  if (before.group_id && changed.group_id !== undefined) {
    await refuseEvaluated(trx, scope, before.group_id, 'save it without group_id');
  }
  const { labels, title, ...others } = changed;
  await trx
    .updateTable('sessions')
    .set({
      ...others,
      ...(title !== undefined && { title, search_text: toSearchText(title, before.preview_text) }),
      ...(labels && { labels: sql`${JSON.stringify(labels)}::jsonb` }),
      updated_at: NEXT_CHANGE,
    })
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .execute();
  const after = await getSessionRow(trx, scope, id);
  if (changed.visibility) {
    await audit(trx, scope, {
      action: 'session.visibility_changed',
      resource: `sessions/${id}`,
      before: { visibility: before.visibility },
      after: { visibility: after.visibility },
    });
  }
  await appendState(trx, scope, id, after);
  return after;
}

const SIMPLE = ['title', 'model', 'agent', 'visibility', 'project_id', 'group_id', 'runtime_id'] as const;

type Changed = Partial<Pick<SessionRow, (typeof SIMPLE)[number] | 'labels' | 'claimed_message_count'>>;

function findChanged(before: SessionRow, changes: SessionChanges): Changed {
  const names = SIMPLE.filter((name) => changes[name] !== undefined && changes[name] !== before[name]);
  const labels = changes.labels === null ? {} : changes.labels;
  const { claimed_message_count: claimed } = before;
  const { message_count: counted } = changes;
  return {
    ...Object.fromEntries(names.map((name) => [name, changes[name]])),
    ...(labels && !isDeepStrictEqual(labels, before.labels) && { labels }),
    ...(claimed !== null &&
      counted !== undefined &&
      counted !== claimed && { claimed_message_count: counted }),
  };
}
