/** Operates the sandboxes of this host. Each transition is claimed, made and stored, in this order. */
import type { Duplex } from 'node:stream';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { notFound } from '../../platform/errors.ts';
import type { Command, Execution } from '../../platform/sandbox/sandbox-provider.ts';
import { keepAlive } from '../accounting/keep-alive.ts';
import { auditMove, type TransitionTarget } from '../audited.ts';
import type { Emit, RuntimeOperator, SandboxPlace, Target } from '../operator.ts';
import type { PauseReason, StartRequest } from '../schema.ts';
import type { TerminalOwner } from '../terminals/terminal.ts';
import type { TerminalLink, TerminalRequest } from '../terminals/terminal-link.ts';
import { claimSandbox, explainRefusal } from '../transitions.ts';
import { recordEnd } from './ending.ts';
import type { LocalHost } from './local-host.ts';
import { pauseSandbox, requireExpired, resumeSandbox } from './pausing.ts';
import { persist, sinceNow } from './persistence.ts';
import { showInRuntime } from './show-capabilities.ts';
import { type Environment, openEnvironment } from './starting/environment.ts';
import { startSandbox } from './starting/starting.ts';
import { takeWorkspace } from './take-workspace.ts';
import { afterOtherMoves } from './turns.ts';
import { deleteIdle, requireDisk, wipeIdle } from './upkeep/idle-runtimes.ts';

const SILENT: Emit = () => undefined;

export class LocalOperator implements RuntimeOperator {
  readonly #host: LocalHost;
  /** Environments of living sandboxes, which never change. */
  readonly #environments = new Map<string, Environment>();

  constructor(host: LocalHost) {
    this.#host = host;
  }

  start(target: Target, request: StartRequest, emit = SILENT): Promise<void> {
    return this.#host.change(target.runtimeId, 'starting', async () => {
      const { sandboxId, environment } = await startSandbox(this.#host, target, request, emit);
      this.#environments.set(sandboxId, environment);
    });
  }

  pause(target: TransitionTarget, reason: PauseReason, emit = SILENT): Promise<void> {
    return this.#host.change(target.runtimeId, 'pausing', () =>
      pauseSandbox(this.#host, target, reason, emit),
    );
  }

  /** Pauses the sandbox if it is still expired when the lock is held: it may just have been extended. */
  expire(target: TransitionTarget, reason: PauseReason): Promise<void> {
    return this.#host.change(target.runtimeId, 'pausing', () =>
      pauseSandbox(this.#host, target, reason, SILENT, requireExpired),
    );
  }

  resume(target: Target, emit = SILENT): Promise<void> {
    return this.#host.change(target.runtimeId, 'resuming', () => resumeSandbox(this.#host, target, emit));
  }

  async reset(target: Target, emit = SILENT): Promise<void> {
    await this.#host.change(target.runtimeId, 'ending', async () => {
      await requireDisk(this.#host.db, target);
      emit({ step: 'end', message: 'Ending its sandbox.' });
      const diskId = await this.#endThen(target, 'It was reset.', (trx) => wipeIdle(trx, target));
      emit({ step: 'wipe', message: 'Taking its disk away.' });
      await this.#removeDisk(diskId);
      emit({ step: 'ready', message: 'The next start begins anew.' });
    });
  }

  keepAlive(target: Target, extendSeconds: number): Promise<string> {
    return keepAlive(this.#host.db, this.#host.rules, target, extendSeconds);
  }

  async end(target: TransitionTarget, reason: string, sandboxId?: string): Promise<void> {
    await afterOtherMoves(() =>
      this.#host.change(target.runtimeId, 'ending', async () => {
        if (sandboxId !== undefined && !(await this.#isCurrent(target, sandboxId))) return;
        await this.#endThen(target, reason, async (trx, ended) => {
          if (ended) await auditMove(trx, target, 'runtime.ended', { sandbox_id: ended, reason });
        });
      }),
    );
  }

  async delete(target: Target): Promise<void> {
    await afterOtherMoves(() =>
      this.#host.change(target.runtimeId, 'ending', async () => {
        await this.#removeDisk(
          await this.#endThen(target, 'Its runtime was deleted.', (trx) => deleteIdle(trx, target)),
        );
      }),
    );
  }

  takeWorkspace(target: Target, fromRuntimeId: string): Promise<void> {
    return this.#host.change(fromRuntimeId, 'ending', () => takeWorkspace(this.#host, target, fromRuntimeId));
  }

  async exec(target: Target, command: Command, seen?: SandboxPlace): Promise<Execution> {
    const place = seen ?? (await this.#findPlace(target));
    if (!place) throw await explainRefusal(this.#host.db, target, 'exec');
    const environment = { ...(await this.#environmentOf(target, place.sandboxId)), ...command.environment };
    return this.#host.provider(place.provider).exec(place.sandboxId, { ...command, environment });
  }

  async openTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<TerminalLink> {
    const { owner, place } = await this.#ownerOf(target, seen);
    const { command } = request;
    const environment = { ...(await this.#environmentOf(target, place.sandboxId)), ...command.environment };
    const completed = { ...request, command: { ...command, environment } };
    return this.#host.terminals.attach(this.#host.provider(place.provider), owner, completed);
  }

  async checkTerminal(
    target: Target,
    { terminalId, after }: TerminalRequest,
    seen?: SandboxPlace,
  ): Promise<void> {
    const { owner } = await this.#ownerOf(target, seen);
    if (terminalId !== undefined) this.#host.terminals.get(owner, terminalId).requireShown(after);
  }

  async #ownerOf(target: Target, seen: SandboxPlace | undefined) {
    const place = seen ?? (await this.#findPlace(target));
    if (!place) throw await explainRefusal(this.#host.db, target, 'exec');
    const { organizationId, runtimeId, actorId: userId } = target;
    const owner: TerminalOwner = { organizationId, runtimeId, sandboxId: place.sandboxId, userId };
    return { owner, place };
  }

  async connect(target: Target, port: number, seen?: SandboxPlace): Promise<Duplex> {
    const place = seen ?? (await this.#findPlace(target));
    if (!place) throw await explainRefusal(this.#host.db, target, 'connect');
    return this.#host.provider(place.provider).connect(place.sandboxId, port);
  }

  setCapabilities(target: Target): Promise<void> {
    return showInRuntime(this.#host, target);
  }

  /** @returns undefined if the sandbox does not run on this host */
  async #findPlace({ organizationId, runtimeId }: Target): Promise<SandboxPlace | undefined> {
    const { hostId } = this.#host.lease;
    const row = await this.#host.db
      .selectFrom('runtimes as r')
      .innerJoin('sandboxes as s', (join) =>
        join.onRef('s.id', '=', 'r.sandbox_id').on('s.organization_id', '=', organizationId),
      )
      .select(['s.id', 's.provider'])
      .where('r.organization_id', '=', organizationId)
      .where('r.id', '=', runtimeId)
      .where('r.status', '=', 'running')
      .where('r.move', 'is', null)
      .where('s.host_id', '=', hostId)
      .executeTakeFirst();
    return row && { sandboxId: row.id, provider: row.provider, hostId };
  }

  /** Removes cached data of a sandbox that has ended. */
  forget(sandboxId: string): void {
    this.#environments.delete(sandboxId);
    this.#host.terminals.forget(sandboxId);
  }

  /** Ends the sandbox, if there is one, and runs the rest in the transaction that stores the end. */
  async #endThen<T>(
    target: TransitionTarget,
    reason: string,
    rest: (trx: Trx, sandboxId: string | undefined) => Promise<T>,
  ): Promise<T> {
    const host = this.#host;
    const isIdle = await this.#isIdle(target);
    if (isIdle) return transactionFor(host.db, target, (trx) => rest(trx, undefined));
    const sandbox = await host.step((trx) =>
      claimSandbox(trx, host.lease, target, { from: ['running', 'paused'], move: 'ending', verb: 'end' }),
    );
    await host.provider(sandbox.provider).kill(sandbox.sandboxId);
    const agoMs = sinceNow();
    this.forget(sandbox.sandboxId);
    return persist(host, () =>
      transactionFor(host.db, target, async (trx) => {
        await recordEnd(trx, sandbox, { moment: { agoMs: agoMs() }, reason });
        return rest(trx, sandbox.sandboxId);
      }),
    );
  }

  async #isCurrent({ organizationId, runtimeId }: TransitionTarget, sandboxId: string): Promise<boolean> {
    const row = await this.#host.db
      .selectFrom('sandboxes')
      .select('state')
      .where('organization_id', '=', organizationId)
      .where('runtime_id', '=', runtimeId)
      .where('id', '=', sandboxId)
      .executeTakeFirst();
    return row !== undefined && row.state !== 'killed';
  }

  async #isIdle({ organizationId, runtimeId }: TransitionTarget): Promise<boolean> {
    const row = await this.#host.db
      .selectFrom('runtimes')
      .select(['status', 'move'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', runtimeId)
      .executeTakeFirst();
    if (!row) throw notFound('Runtime');
    return row.status === 'idle' && row.move === null;
  }

  /** A disk that cannot be removed now is found by the host's cleanup, because no runtime names it. */
  async #removeDisk(diskId: string | null): Promise<void> {
    if (diskId === null) return;
    for (const provider of this.#host.providers) {
      await provider.removeDisk(diskId).catch((error: unknown) => {
        this.#host.log.warn({ err: error, diskId }, 'a disk could not be removed yet');
      });
    }
  }

  async #environmentOf({ organizationId }: Target, sandboxId: string): Promise<Environment> {
    const known = this.#environments.get(sandboxId);
    if (known) return known;
    const { db, vault } = this.#host;
    const opened = await openEnvironment(db, vault, { organizationId, sandboxId });
    this.#environments.set(sandboxId, opened);
    return opened;
  }
}
