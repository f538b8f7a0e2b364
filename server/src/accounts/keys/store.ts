import { type AuditEntry, actorOf, auditAccount, auditAs } from '../../platform/audit/audit.ts';
import type { UserScope } from '../../platform/auth/principal.ts';
import { maskKey, newApiKey, tokenHash } from '../../platform/auth/random-token.ts';
import type { Scope } from '../../platform/auth/scopes.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { forbidden, invalidValue, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { requireLiveCredential } from '../live-credential.ts';
import { selectEntries } from '../workspaces/entry.ts';
import type { NewApiKey } from './schema.ts';

const COLUMNS = [
  ...(['id', 'masked_key', 'name', 'organization_id', 'workspace_id', 'allowed_scopes'] as const),
  ...(['allow_self_revoke', 'created_at', 'last_used_at', 'expires_at'] as const),
] as const;

interface KeyRow {
  id: string;
  masked_key: string;
  name: string;
  organization_id: string | null;
  workspace_id: string | null;
  allowed_scopes: string[] | null;
  allow_self_revoke: boolean;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
}

function toApiKey({ organization_id, ...row }: KeyRow) {
  return {
    ...row,
    org_id: organization_id,
    allowed_scopes: row.allowed_scopes as Scope[] | null,
    active: row.expires_at === null || Date.parse(row.expires_at) > Date.now(),
  };
}

export async function listKeys(db: Db, { principal }: UserScope) {
  const rows = await db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('user_id', '=', principal.userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(toApiKey);
}

export async function createKey(db: Db, scope: UserScope, request: NewApiKey) {
  return transactionFor(db, scope, async (trx) => {
    await requireLiveCredential(trx, scope.principal);
    return insertKey(trx, scope, request);
  });
}

interface KeyOrigin {
  readonly key?: string;
  /** Created by the operator of the server on behalf of the user. */
  readonly isByOperator?: boolean;
}

export async function insertKey(
  trx: Trx,
  scope: UserScope,
  request: NewApiKey,
  { key = newApiKey(), isByOperator = false }: KeyOrigin = {},
) {
  const expires_at = boundedExpiry(scope, request.expires_at ?? null);
  const { organization_id, workspace_id } = await placeOf(trx, scope, request);
  const insert = trx
    .insertInto('api_keys')
    .values({
      id: uuidv7(),
      user_id: scope.principal.userId,
      key_hash: tokenHash(key),
      masked_key: maskKey(key),
      name: request.name,
      organization_id,
      workspace_id,
      allowed_scopes: request.allowed_scopes ? [...new Set(request.allowed_scopes)] : null,
      allow_self_revoke: request.allow_self_revoke,
      expires_at,
      issued_by_operator: isByOperator,
    })
    .returning(COLUMNS);
  const row = await explainViolation(insert.executeTakeFirstOrThrow(), {
    api_keys_workspace_fkey: notAWorkspace,
  });
  const after = {
    name: row.name,
    allowed_scopes: row.allowed_scopes,
    expires_at: row.expires_at,
    workspace_id,
  };
  await auditKey(trx, scope, organization_id, {
    action: 'api_key.created',
    resource: `api-keys/${row.id}`,
    after,
  });
  return { ...toApiKey(row), key };
}

/** Writes to the audit log of the organization if the key is limited to it. */
async function auditKey(
  trx: Trx,
  scope: UserScope,
  organizationId: string | null,
  entry: AuditEntry,
): Promise<void> {
  if (organizationId) await auditAs(trx, organizationId, actorOf(scope), entry);
  else await auditAccount(trx, actorOf(scope), entry);
}

/** A key never creates a key with more access or a later expiry. */
function boundedExpiry({ principal }: UserScope, wanted: string | null): string | null {
  if (wanted !== null && Date.parse(wanted) <= Date.now())
    throw invalidValue(['body', 'expires_at'], 'must lie in the future');
  const bound = principal.apiKey?.expiresAt ?? null;
  if (bound === null) return wanted;
  if (wanted === null) return bound;
  if (Date.parse(wanted) > Date.parse(bound))
    throw forbidden(`The key you use expires at ${bound}; it cannot make one that lives longer.`);
  return wanted;
}

/** Resolves the organization and workspace of a limited key; the caller must have access to both. */
async function placeOf(trx: Trx, { principal }: UserScope, request: NewApiKey) {
  const { org_id, workspace_id } = request;
  if (!org_id && !workspace_id) return { organization_id: null, workspace_id: null };
  let memberships = trx
    .selectFrom('memberships as m')
    .select(['m.organization_id', 'm.role'])
    .where('m.user_id', '=', principal.userId);
  if (org_id) memberships = memberships.where('m.organization_id', '=', org_id);
  const mine = await memberships.execute();
  if (org_id && mine.length === 0) throw invalidValue(['body', 'org_id'], 'is not an organization of yours');
  if (!workspace_id) return { organization_id: org_id ?? null, workspace_id: null };
  for (const { organization_id, role } of mine) {
    const entries = selectEntries(trx, organization_id, principal.userId);
    const found = await entries.where('w.id', '=', workspace_id).executeTakeFirst();
    if (found && (role !== 'member' || !found.is_restricted || found.role))
      return { organization_id, workspace_id };
  }
  throw notAWorkspace();
}

const notAWorkspace = () => invalidValue(['body', 'workspace_id'], 'is not a workspace that you can see');

export async function deleteKey(db: Db, scope: UserScope, id: string): Promise<void> {
  await transactionFor(db, scope, async (trx) => {
    const deleted = await trx
      .deleteFrom('api_keys')
      .where('id', '=', id)
      .where('user_id', '=', scope.principal.userId)
      .returning(DELETED)
      .executeTakeFirst();
    if (!deleted) throw notFound('API key');
    await auditDeletion(trx, scope, deleted);
  });
}

/** Deletes keys that the operator of the server created for the user. */
export async function deleteOperatorKeys(trx: Trx, scope: UserScope): Promise<void> {
  const deleted = await trx
    .deleteFrom('api_keys')
    .where('user_id', '=', scope.principal.userId)
    .where('issued_by_operator', '=', true)
    .returning(DELETED)
    .execute();
  for (const key of deleted) await auditDeletion(trx, scope, key);
}

const DELETED = ['id', 'name', 'organization_id'] as const;

async function auditDeletion(
  trx: Trx,
  scope: UserScope,
  { id, name, organization_id }: Pick<KeyRow, (typeof DELETED)[number]>,
): Promise<void> {
  await auditKey(trx, scope, organization_id, {
    action: 'api_key.deleted',
    resource: `api-keys/${id}`,
    before: { name },
  });
}

/** Deletes the calling key, if it was created with that permission. */
export async function deleteOwnKey(db: Db, scope: UserScope): Promise<void> {
  const { apiKey } = scope.principal;
  if (!apiKey)
    throw forbidden('Call this with the API key to delete; an access token ends with POST /auth/logout.');
  if (!apiKey.allowsSelfRevoke)
    throw forbidden('This key was made without "allow_self_revoke"; its user can delete it.');
  await deleteKey(db, scope, apiKey.id);
}
