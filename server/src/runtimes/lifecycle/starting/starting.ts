/** Transition from idle to running: a new sandbox on the runtime's disk. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../../platform/db/transaction.ts';
import type { SandboxSpec } from '../../../platform/sandbox/sandbox-provider.ts';
import { uuidv7 } from '../../../platform/uuid.ts';
import { grantPeriod, readLimits, toLimitColumns } from '../../accounting/grants.ts';
import { beginPeriod } from '../../accounting/periods.ts';
import { toMoveAudit } from '../../audited.ts';
import type { Emit, Target } from '../../operator.ts';
import { platformEnvironment } from '../../platform-access/environment.ts';
import type { StartRequest } from '../../schema.ts';
import { explainRefusal, hostAway, isHeld, isInState } from '../../transitions.ts';
import { requireDiskQuota } from '../disk-sizes.ts';
import { type EndKey, forgetStart } from '../ending.ts';
import type { LocalHost } from '../local-host.ts';
import { persist } from '../persistence.ts';
import { toLogStatement } from '../sandbox-log.ts';
import { readShown, showCapabilities } from '../show-capabilities.ts';
import { composeEnvironment, type Environment, sealEnvironment } from './environment.ts';
import { planSandbox, requireCapacity, type StartConfig, toLimitFields } from './plan.ts';

export interface StartedSandbox {
  readonly sandboxId: string;
  readonly environment: Environment;
}

export async function startSandbox(
  host: LocalHost,
  target: Target,
  request: StartRequest,
  emit: Emit,
): Promise<StartedSandbox> {
  const { key, spec, provider, seconds, environment } = await host.step((trx) =>
    claimStart(trx, host, target, request),
  );
  try {
    // Progress starts after the claim, so that a refusal can still be returned as a status code.
    emit({ step: 'prepare', message: 'Preparing the sandbox.' });
    emit({ step: 'start', message: `Starting it with the provider "${provider}".` });
    await startShowing(host, { ...key, provider }, spec, emit);
  } catch (error) {
    await persist(host, () => host.step((trx) => forgetStart(trx, key)));
    throw error;
  }
  const isRunning = await persist(host, () =>
    transactionFor(host.db, target, (trx) => finishStart(trx, { key, provider, seconds, target })),
  );
  if (!isRunning) {
    await host.provider(provider).kill(spec.id);
    throw hostAway();
  }
  emit({ step: 'ready', message: 'It runs.' });
  return { sandboxId: spec.id, environment };
}

/** Reads the capabilities while the sandbox starts, and applies them before it is reported as running. A failure leaves only the disk. */
async function startShowing(
  host: LocalHost,
  sandbox: EndKey & { readonly provider: string },
  spec: SandboxSpec,
  emit: Emit,
): Promise<void> {
  const provider = host.provider(sandbox.provider);
  const [started, read] = await Promise.allSettled([provider.start(spec), readShown(host.db, sandbox)]);
  if (started.status === 'rejected') throw started.reason;
  try {
    if (read.status === 'rejected') throw read.reason;
    const count = read.value.bindings.length;
    if (count > 0) emit({ step: 'capabilities', message: `Showing ${count} of its capabilities.` });
    await showCapabilities(host, sandbox, read.value);
  } catch (error) {
    await provider.kill(spec.id);
    throw error;
  }
}

interface ClaimedStart {
  readonly key: EndKey;
  readonly spec: SandboxSpec;
  readonly provider: string;
  readonly seconds: number;
  readonly environment: Environment;
}

async function claimStart(
  trx: Trx,
  host: LocalHost,
  { organizationId, runtimeId }: Target,
  request: StartRequest,
): Promise<ClaimedStart> {
  const organization = await readLimits(trx, organizationId);
  await requireRoom(trx, { organizationId, runtimeId }, organization.maxSandboxes);
  const diskQuota = await requireDiskQuota(trx, organizationId);
  const runtime = await claimIdle(trx, host, { organizationId, runtimeId });
  const config = runtime.config as StartConfig;
  const { provider, limits } = planSandbox(host.reports, config, runtime.given_limits);
  const sandboxId = uuidv7();
  const { platform_access: platformAccess = 'none' } = config.sandbox;
  const key = { organizationId, runtimeId, sandboxId };
  const environment = await composeEnvironment(trx, host.vault, {
    ownerId: runtime.created_by,
    env: { ...(await platformEnvironment(trx, key, platformAccess)), ...config.runtime_server.env },
    configured: config.secrets.secret_ids,
    requested: request.secret_ids ?? [],
  });
  const grant = await grantPeriod(trx, host.rules, {
    ...key,
    period: 1,
    requested: [
      request.requested_runtime_limit_seconds,
      runtime.requested_runtime_limit_seconds,
      config.sandbox.timeout_seconds,
    ],
    organization,
    now: runtime.updated_at,
  });
  const sandbox = {
    organization_id: organizationId,
    id: sandboxId,
    runtime_id: runtimeId,
    workspace_id: runtime.workspace_id,
    project_id: runtime.project_id,
    created_by: runtime.created_by,
    host_id: host.lease.hostId,
    provider: provider.name,
    provider_sandbox_id: sandboxId,
    supports_pause: provider.supportsPause,
    config_digest: runtime.config_digest,
    limits: sql<string>`${JSON.stringify(toLimitFields(limits))}::jsonb`,
    state: 'starting' as const,
    origin: runtime.origin,
    platform_access: platformAccess,
    spend_limit_usd: config.sandbox.spend_limit_usd ?? null,
    ...toLimitColumns(grant),
  };
  await trx
    .with('sandbox', (db) => db.insertInto('sandboxes').values(sandbox))
    .insertInto('sandbox_environments')
    .values(sealEnvironment(host.vault, key, environment))
    .execute();
  const spec = {
    id: sandboxId,
    diskId: runtime.disk_id ?? '',
    ...(diskQuota !== undefined && { diskGroup: { id: organizationId, maxBytes: diskQuota } }),
    hostname: runtime.key.slice(0, 63),
    limits,
    hasWorkspace: config.sandbox.workspace_mount,
    egressAllow: config.sandbox.egress_allow ?? [],
    hasPlatformAccess: platformAccess !== 'none',
  };
  return { key, spec, provider: provider.name, seconds: grant.seconds, environment };
}

/** A start of a running sandbox is refused for that reason first, since capacity would not help. */
async function requireRoom(
  trx: Trx,
  { organizationId, runtimeId }: Pick<Target, 'organizationId' | 'runtimeId'>,
  max: number | null,
): Promise<void> {
  try {
    await requireCapacity(trx, organizationId, max);
  } catch (error) {
    const idle = await trx
      .selectFrom('runtimes')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', runtimeId)
      .where('status', '=', 'idle')
      .where('move', 'is', null)
      .executeTakeFirst();
    throw idle ? error : await explainRefusal(trx, { organizationId, runtimeId }, 'start');
  }
}

/** Claims a runtime whose disk is on this host, or that has none yet. */
async function claimIdle(
  trx: Trx,
  host: LocalHost,
  { organizationId, runtimeId }: Pick<Target, 'organizationId' | 'runtimeId'>,
) {
  const { hostId } = host.lease;
  const claimed = await trx
    .updateTable('runtimes')
    .set({
      move: 'starting',
      host_id: hostId,
      disk_id: sql`coalesce(disk_id, ${uuidv7()})`,
      updated_at: sql`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runtimeId)
    .where('status', '=', 'idle')
    .where('move', 'is', null)
    .where(({ or, eb }) => or([eb('host_id', 'is', null), eb('host_id', '=', hostId)]))
    .where(isHeld(host.lease))
    .returning(['key', 'workspace_id', 'project_id', 'created_by', 'config', 'config_digest', 'given_limits'])
    .returning(['requested_runtime_limit_seconds', 'disk_id', 'updated_at', 'origin'])
    .executeTakeFirst();
  if (!claimed) throw await explainRefusal(trx, { organizationId, runtimeId }, 'start');
  return claimed;
}

interface FinishedStart {
  readonly key: EndKey;
  readonly provider: string;
  readonly seconds: number;
  readonly target: Target;
}

/**
 * Stores the start in one statement: under the lock of the runtime the sandbox becomes running if it still exists, and only then is the
 * rest written.
 * @returns false when the sandbox has been ended in the meantime, for example because this host lost its lease
 */
async function finishStart(db: Db, { key, provider, seconds, target }: FinishedStart): Promise<boolean> {
  const hasBegun = sql<boolean>`EXISTS (SELECT FROM begun)`;
  const finished = await db
    .with('locked', (part) =>
      part
        .selectFrom('runtimes')
        .select('id')
        .where('organization_id', '=', key.organizationId)
        .where('id', '=', key.runtimeId)
        .where('move', '=', 'starting')
        .forUpdate(),
    )
    .with('begun', (part) =>
      beginPeriod(part, key, { from: 'starting', seconds }).where(sql<boolean>`EXISTS (SELECT FROM locked)`),
    )
    .with('moved', (part) =>
      part
        .updateTable('runtimes')
        .set({
          status: 'running',
          move: null,
          sandbox_id: key.sandboxId,
          updated_at: sql`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
        })
        .where('organization_id', '=', key.organizationId)
        .where('id', '=', key.runtimeId)
        .where(hasBegun),
    )
    .with(
      'logged',
      () =>
        sql`(${toLogStatement(key, [{ kind: 'lifecycle', message: 'started', details: { provider } }], hasBegun)})`,
    )
    .with('audited', () =>
      toMoveAudit(
        target,
        { action: 'runtime.started', after: { sandbox_id: key.sandboxId, provider } },
        hasBegun,
      ),
    )
    .selectFrom('begun')
    .select('id')
    .executeTakeFirst();
  return finished !== undefined || isInState(db, key, 'running');
}
