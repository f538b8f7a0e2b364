/** Sandboxes of background work: created for it, waiting for capacity, and removed with it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { z } from 'zod';
import { findMembership } from '../../accounts/service.ts';
import type { OrgRole } from '../../platform/auth/principal.ts';
import type { CleanUp } from '../../platform/clean-up.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { ApiError, type ErrorType, forbidden } from '../../platform/errors.ts';
import { validate } from '../../platform/http/requests/validation.ts';
import type { Log } from '../../platform/log.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { givenLimits } from '../config/canonical-config.ts';
import { requireConfigReferences } from '../config/references.ts';
import { RuntimeConfig, type RuntimeConfigOf } from '../config-schema.ts';
import { insertRuntime } from '../creation/store.ts';
import type { RuntimeOperator, Target } from '../operator.ts';
import { unlessGone } from '../removal/workspaces.ts';
import type { SandboxOrigin } from '../schema.ts';
import { type EphemeralSandbox, HeldSandbox } from './held-sandbox.ts';
import { LEASE_SECONDS, LeaseHolder, RENEW_MS } from './lease-holder.ts';
import {
  type Lease,
  type LeasedWorkspace,
  lapsedSandboxes,
  leaseEnd,
  type SandboxOwner,
  takeLease,
  takeWorkspaceLease,
} from './leases.ts';
import { SandboxGone } from './sandbox-gone.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
const MAX_TAKE_TRIES = 3;

export interface SandboxesOptions {
  readonly db: Db;
  readonly operator: RuntimeOperator;
  readonly log: Log;
  /** Set in tests only. */
  readonly renewMs?: number;
}

export interface SandboxRequest {
  readonly owner: SandboxOwner;
  readonly origin: Exclude<SandboxOrigin, 'user'>;
  /** The session that records the model calls of the sandbox, and the only model that it may call. Both require `platform_access`. */
  readonly recording?: { readonly sessionId: string; readonly model: string };
  /** Defaults are filled in. */
  readonly config?: z.input<typeof RuntimeConfig>;
  /**
   * Id of a sandbox of the same owner and workspace whose lease is still held or kept. It is ended if it still runs. The new sandbox gets
   * its /workspace, not a copy; the old one cannot be used again. The same id finds the /workspace again when the new sandbox was lost or
   * kept, so that an interrupted takeover can be repeated without knowing how far it came.
   */
  readonly workspaceFrom?: string;
  /** Leaves out resource limits that the host cannot enforce, instead of refusing them. `limits` shows which are enforced. */
  readonly allowsUnenforcedLimits?: boolean;
  readonly signal: AbortSignal;
}

export interface ResumeRequest extends Pick<SandboxRequest, 'owner' | 'signal'> {
  readonly id: string;
}

type Work<T> = (sandbox: EphemeralSandbox) => Promise<T>;

export class Sandboxes {
  readonly #options: SandboxesOptions;
  /** Removes the sandboxes of processes that were killed. */
  readonly cleanUp: CleanUp;

  constructor(options: SandboxesOptions) {
    this.#options = options;
    this.cleanUp = lapsedSandboxes(options.operator);
  }

  /**
   * Runs `work` in a new sandbox, and removes the sandbox when `work` settles, unless it was kept. An abort makes the methods of the
   * sandbox throw, but does not interrupt `work`. Waits while the organization is at its sandbox limit; the wait counts toward the longest
   * step of a job. Nothing is created for an owner that could not create a runtime there.
   */
  async withSandbox<T>(request: SandboxRequest, work: Work<T>): Promise<T> {
    const { owner, workspaceFrom, signal } = request;
    const { operator } = this.#options;
    signal.throwIfAborted();
    const role = await this.#requireOwner(owner);
    const from = workspaceFrom === undefined ? undefined : await this.#leaseWorkspace(owner, workspaceFrom);
    const lease = await this.#create(request, role);
    return this.#hold(lease, { ...request, isKept: from !== undefined }, work, async (target, ready) => {
      if (from) await this.#takeWorkspace(target, owner, from);
      await startInTurn(operator, target, ready, () => this.#requireOwner(owner));
      const started = await this.#findStarted(lease);
      if (from && started.provider !== from.provider) {
        const detail = `The /workspace of sandbox ${from.id} is the provider "${from.provider}"'s, which is not available any more.`;
        throw new ApiError('sandbox_provider_error', detail);
      }
      return started.id;
    });
  }

  /**
   * Takes over the lease of a running sandbox of this owner, even from a process that still works in it, which then gets `SandboxGone`.
   * @throws {SandboxGone} when the sandbox has ended or its lease has expired
   */
  async resumeSandbox<T>(request: ResumeRequest, work: Work<T>): Promise<T> {
    const { owner, id, signal } = request;
    signal.throwIfAborted();
    await this.#requireOwner(owner);
    const lease = await takeLease(this.#options.db, owner, id, LEASE_SECONDS);
    if (!lease)
      throw new SandboxGone(id, 'It has ended, its lease has expired, or it belongs to another owner.');
    return this.#hold(lease, { ...request, isKept: true }, work, () => Promise.resolve(id));
  }

  /**
   * @param isKept the sandbox, or its workspace, contains earlier work: an error before `work` is called leaves it to a later try
   * @param open resolves with the id of the sandbox once it runs
   */
  async #hold<T>(
    lease: Lease,
    { owner, signal, isKept }: Pick<SandboxRequest, 'owner' | 'signal'> & { readonly isKept: boolean },
    work: Work<T>,
    open: (target: Target, signal: AbortSignal) => Promise<string>,
  ): Promise<T> {
    const { db, operator, log, renewMs = RENEW_MS } = this.#options;
    const { organizationId, runtimeId } = lease;
    const target = { organizationId, runtimeId, actorId: owner.userId, apiKeyId: null, requestId: runtimeId };
    const holder = new LeaseHolder({
      db,
      log,
      lease,
      renewMs,
      isKept,
      requireOwner: () => this.#requireOwner(owner),
    });
    let held: HeldSandbox | undefined;
    try {
      const id = await open(target, AbortSignal.any([signal, holder.lost]));
      signal.throwIfAborted();
      holder.expect(id);
      const capabilities = await this.#listCapabilities(lease);
      const limits = await this.#getLimits(lease, id);
      held = new HeldSandbox({ db, operator, target, holder, signal, id, capabilities, limits });
      holder.letGo();
      return await work(held);
    } finally {
      await held?.close();
      // Anything that cannot be removed now is left to the cleanup: its lease has lapsed, or lapses soon.
      await holder
        .release()
        .then((isToBeDeleted) => (isToBeDeleted ? operator.delete(target).catch(unlessGone) : undefined))
        .catch((err: unknown) => log.warn({ err, runtimeId }, 'a sandbox could not be removed yet'));
    }
  }

  async #requireOwner(owner: SandboxOwner) {
    const membership = await findMembership(this.#options.db, owner, owner.userId);
    if (membership && membership.workspaceRole !== 'reader') return membership.role;
    throw forbidden(
      `User ${owner.userId} may not run sandboxes in workspace ${owner.workspaceId}: that needs a contributor of the workspace.`,
    );
  }

  async #create(request: SandboxRequest, role: OrgRole): Promise<Lease> {
    const { owner, origin, config: given = {}, allowsUnenforcedLimits = false, recording } = request;
    const { organizationId, workspaceId, userId } = owner;
    const config = validate({ body: RuntimeConfig }, { body: given }).body as RuntimeConfigOf;
    const principal = { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
    const scope = { organizationId, workspaceId, principal, role, requestId: '' };
    const capabilities = await requireConfigReferences(this.#options.db, scope, config, ['body']);
    const [id, leaseId] = [uuidv7(), uuidv7()];
    const key = `${origin}-${id}`;
    await transaction(this.#options.db, (one) =>
      insertRuntime(one, scope, {
        id,
        key,
        name: key,
        projectId: null,
        config,
        limits: allowsUnenforcedLimits ? [] : givenLimits(given),
        capabilities,
        ephemeral: {
          origin,
          lease_id: leaseId,
          leased_until: leaseEnd(LEASE_SECONDS),
          recorded_session_id: recording?.sessionId ?? null,
          callable_model: recording?.model ?? null,
        },
      }),
    );
    return { organizationId, runtimeId: id, leaseId };
  }

  /** @throws {SandboxGone} */
  async #leaseWorkspace(owner: SandboxOwner, id: string): Promise<WorkspaceSource> {
    const leased = await takeWorkspaceLease(this.#options.db, owner, id, LEASE_SECONDS);
    if (!leased) throw new SandboxGone(id, 'Its /workspace was removed, or is not of this owner.');
    return { id, ...leased };
  }

  /** Follows the /workspace when it moves concurrently: the request of a killed process may still be executed. */
  async #takeWorkspace(target: Target, owner: SandboxOwner, found: WorkspaceSource): Promise<void> {
    const { operator } = this.#options;
    for (let from = found, tries = 1; ; tries++) {
      try {
        if (from.isInUse)
          await operator.end({ ...target, runtimeId: from.runtimeId }, 'Its /workspace was taken over.');
        return await operator.takeWorkspace(target, from.runtimeId);
      } catch (error) {
        const isMoved =
          error instanceof ApiError && (error.type === 'not_found_error' || error.type === 'conflict_error');
        if (!isMoved || tries === MAX_TAKE_TRIES) throw error;
        from = await this.#leaseWorkspace(owner, found.id);
      }
    }
  }

  async #findStarted({ organizationId, runtimeId }: Lease): Promise<StartedSandbox> {
    const { rows } = await sql<StartedSandbox>`
      SELECT s.id, s.provider
        FROM runtimes AS r JOIN sandboxes AS s ON s.organization_id = r.organization_id AND s.id = r.sandbox_id
       WHERE r.organization_id = ${organizationId} AND r.id = ${runtimeId}`.execute(this.#options.db);
    const [found] = rows;
    if (!found) throw new SandboxGone(`of runtime ${runtimeId}`, 'It was removed while it was started.');
    return found;
  }

  async #getLimits({ organizationId }: Lease, id: string): Promise<Readonly<Record<string, number>>> {
    const { limits } = await this.#options.db
      .selectFrom('sandboxes')
      .select('limits')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return limits as Record<string, number>;
  }

  async #listCapabilities({ organizationId, runtimeId }: Lease) {
    const { rows } = await sql<{ name: string; version: string }>`
      SELECT capability_name AS name, version FROM runtime_capabilities
       WHERE organization_id = ${organizationId} AND runtime_id = ${runtimeId} AND enabled ORDER BY id`.execute(
      this.#options.db,
    );
    return rows.map(({ name, version }) => ({ name, version, folder: `/capabilities/${name}` }));
  }
}

interface StartedSandbox {
  readonly id: string;
  readonly provider: string;
}

interface WorkspaceSource extends LeasedWorkspace {
  /** The sandbox that was named in the request. */
  readonly id: string;
}

const WAITED_FOR: readonly string[] = [
  'org_sandbox_capacity_exceeded_error',
  'sandbox_provider_rate_limit_error',
] satisfies ErrorType[];

/**
 * Retries while capacity is missing, with growing random delays, so that waiting calls do not retry at the same moments. The wait may take
 * hours, so the owner's permissions are checked before every try.
 */
async function startInTurn(
  operator: RuntimeOperator,
  target: Target,
  signal: AbortSignal,
  requireOwner: () => Promise<unknown>,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    signal.throwIfAborted();
    await requireOwner();
    try {
      return await operator.start(target, {});
    } catch (error) {
      if (!(error instanceof ApiError && WAITED_FOR.includes(error.type))) throw error;
    }
    await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }
}
