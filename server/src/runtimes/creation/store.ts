/** Creates a runtime, or finds the existing one with its key; concurrent calls create it once. */
import { type Insertable, type RawBuilder, sql } from 'kysely';
import { findProjectId, getUsername } from '../../accounts/service.ts';
import { actorOf, toAuditStatement } from '../../platform/audit/audit.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Database } from '../../platform/db/schema.gen.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { explainViolation } from '../../platform/db/violations.ts';
import { ApiError, invalidValue, notFound } from '../../platform/errors.ts';
import type { Limit } from '../../platform/sandbox/sandbox-provider.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { type ConfiguredCapability, toBindingsStatement } from '../capabilities/configured.ts';
import { configDigest } from '../config/canonical-config.ts';
import { requireConfigReferences } from '../config/references.ts';
import { findRuntime } from '../lookup.ts';
import type { CreatedRuntime } from '../schema.ts';
import {
  defaultIdentity,
  findIdentity,
  type Identity,
  isReserved,
  secondDefaultIdentity,
} from './identity.ts';
import type { NewRuntime } from './schema.ts';

const ATTEMPTS = 5;

/** @param limits the limits that the request gives explicitly */
export async function createRuntime(
  db: Db,
  scope: WorkspaceScope,
  request: NewRuntime,
  limits: readonly Limit[],
): Promise<CreatedRuntime> {
  const projectId = request.project ? await getProjectId(db, scope, request.project) : null;
  const capabilities = await requireConfigReferences(db, scope, request.config, ['body', 'config']);
  const identity = await chooseIdentity(db, scope, request);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await findRuntime(db, scope, identity.key);
    if (found) return { ...found, created: false };
    const created = await explainViolation(
      transactionFor(db, scope, (one) =>
        insertRuntime(one, scope, { ...request, ...identity, projectId, limits, capabilities }),
      ),
      { runtimes_workspace_fkey: () => notFound(`Workspace "${scope.workspaceKey}"`) },
    );
    const runtime = await findRuntime(db, scope, identity.key);
    // Otherwise it was deleted in between, and there is capacity for another.
    if (runtime) return { ...runtime, created };
  }
  throw new ApiError(
    'conflict_error',
    `Runtime "${identity.key}" is created and deleted all the time; try again.`,
  );
}

async function chooseIdentity(db: Db, scope: WorkspaceScope, request: NewRuntime): Promise<Identity> {
  const given = findIdentity(request);
  if (given && !isReserved(given.key)) return given;
  const { userId } = scope.principal;
  const username = await getUsername(db, userId);
  const own = defaultIdentity(username);
  const second = secondDefaultIdentity(username, userId);
  if (given && given.key !== own.key && given.key !== second.key) {
    const field = request.key ? 'key' : 'name';
    throw invalidValue(['body', field], `must not begin with default-, but for ${own.key}, which is yours`);
  }
  if (given) return given;
  const found = await findRuntime(db, scope, own.key);
  return found && !found.owned_by_me ? second : own;
}

async function getProjectId(db: Db, scope: WorkspaceScope, project: string): Promise<string> {
  const id = await findProjectId(db, scope, project);
  if (!id) throw invalidValue(['body', 'project'], 'names no project of this workspace');
  return id;
}

export type RuntimeOwner = Pick<WorkspaceScope, 'organizationId' | 'workspaceId' | 'principal' | 'requestId'>;

export interface RuntimeInsertion extends Omit<NewRuntime, 'key' | 'name'>, Identity {
  readonly id?: string;
  readonly projectId: string | null;
  readonly limits: readonly Limit[];
  readonly capabilities: readonly ConfiguredCapability[];
  /** Columns of an ephemeral runtime, whose creation is not audited. */
  readonly ephemeral?: Pick<
    Insertable<Database['runtimes']>,
    'origin' | 'lease_id' | 'recorded_session_id' | 'callable_model'
  > & {
    readonly leased_until: RawBuilder<string>;
  };
}

/** @returns whether this call created it */
export async function insertRuntime(
  db: Db,
  scope: RuntimeOwner,
  runtime: RuntimeInsertion,
): Promise<boolean> {
  const { id = uuidv7(), key, name, description = null, projectId, config, limits } = runtime;
  const config_digest = configDigest(config);
  const after = { name, slug: key, project_id: projectId, config_digest };
  const entry = { action: 'runtime.created', resource: `runtimes/${id}`, after };
  const statement = db
    .with('created', (part) =>
      part
        .insertInto('runtimes')
        .values({
          organization_id: scope.organizationId,
          id,
          workspace_id: scope.workspaceId,
          key,
          name,
          description,
          project_id: projectId,
          created_by: scope.principal.userId,
          requested_runtime_limit_seconds: runtime.requested_runtime_limit_seconds ?? null,
          config: JSON.stringify(config),
          config_digest,
          given_limits: [...limits],
          ...runtime.ephemeral,
        })
        .onConflict((same) => same.columns(['organization_id', 'workspace_id', 'key']).doNothing())
        .returning(['id', 'origin']),
    )
    .with('bound', () => toBindingsStatement(scope, runtime.capabilities, 'created'))
    .with('audited', () =>
      toAuditStatement(
        scope.organizationId,
        actorOf(scope),
        entry,
        sql<boolean>`EXISTS (SELECT FROM created WHERE origin = 'user')`,
      ),
    )
    .selectFrom('created')
    .select('id');
  return (await statement.executeTakeFirst()) !== undefined;
}
