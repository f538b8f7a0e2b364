/** Stores sessions with whole transcripts directly: with everything that calls could have left behind, and faster. */
import type { WorkspaceScope } from '../src/platform/auth/principal.ts';
import type { Db } from '../src/platform/db/connect.ts';
import type { ImportedMessage, ImportedSession } from '../src/sessions/import/imported-session.ts';
import { importSession } from '../src/sessions/import/store.ts';
import type { TestServer } from './harness.ts';

export type StoredSession = Partial<ImportedSession> & { readonly visibility?: 'private' | 'workspace' };

const EMPTY: ImportedSession = {
  title: null,
  model: 'acme/large',
  agent: null,
  tools: null,
  imported: null,
  messages: [],
  prompts: [],
  compactions: [],
};

/** Workspace `main` of organization `main`, entered by its owner. */
export async function mainPlace({ db, owner }: TestServer): Promise<WorkspaceScope> {
  const main = await db
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select(['w.organization_id', 'w.id'])
    .where('o.key', '=', 'main')
    .where('w.key', '=', 'main')
    .executeTakeFirstOrThrow();
  return {
    organizationId: main.organization_id,
    organizationKey: 'main',
    role: 'owner',
    workspaceId: main.id,
    workspaceKey: 'main',
    workspaceRole: 'admin',
    principal: { userId: owner.id, isPlatformAdmin: true, apiKey: undefined, loginId: undefined },
    requestId: 'test',
  };
}

/** @returns its new id */
export async function storeSession(
  db: Db,
  scope: WorkspaceScope,
  { visibility = 'private', ...given }: StoredSession,
): Promise<string> {
  const { id } = await importSession(db, scope, { ...EMPTY, ...given });
  await db
    .updateTable('sessions')
    .set({ visibility })
    .where('organization_id', '=', scope.organizationId)
    .where('id', '=', id)
    .execute();
  return id;
}

type Call = readonly [id: string, name?: string, text?: string];

/** Short constructors of messages. */
export const say = {
  user: (content: string): ImportedMessage => ({ role: 'user', content, model: null }),
  system: (content: string): ImportedMessage => ({ role: 'system', content, model: null }),
  assistant: (content: string, ...calls: Call[]): ImportedMessage => ({
    role: 'assistant',
    content,
    model: 'acme/large',
    ...(calls.length > 0 && {
      tool_calls: calls.map(([id, name = 'run', text = '{}']) => ({ id, name, arguments: text })),
    }),
  }),
  tool: (content: string, id?: string): ImportedMessage => ({
    role: 'tool',
    content,
    model: null,
    ...(id !== undefined && { tool_call_id: id }),
  }),
};
