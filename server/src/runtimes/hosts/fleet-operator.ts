/** Operates runtimes wherever their disks are: on this host, on another host or, without a disk, in the database only. */
import type { Duplex } from 'node:stream';
import { sql } from 'kysely';
import type { Signer } from '../../platform/auth/signing.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transactionFor } from '../../platform/db/transaction.ts';
import { ApiError, notFound } from '../../platform/errors.ts';
import type { Command, Execution } from '../../platform/sandbox/sandbox-provider.ts';
import type { GrantRules } from '../accounting/grants.ts';
import { keepAlive } from '../accounting/keep-alive.ts';
import type { LocalOperator } from '../lifecycle/local-operator.ts';
import { afterOtherMoves } from '../lifecycle/turns.ts';
import { deleteIdle, wipeIdle } from '../lifecycle/upkeep/idle-runtimes.ts';
import type { Emit, RuntimeOperator, SandboxPlace, Target } from '../operator.ts';
import type { PauseReason, StartRequest } from '../schema.ts';
import type { TerminalLink, TerminalRequest } from '../terminals/terminal-link.ts';
import { explainRefusal, hostAway, type Verb } from '../transitions.ts';
import { RemoteOperator } from './forwarding.ts';
import type { Host } from './host.ts';
import { endLostSandboxes } from './lost-hosts.ts';

export interface FleetOptions {
  readonly db: Db;
  readonly signer: Signer;
  readonly rules: GrantRules;
  /** Host of this process, if it can be one. */
  readonly host?: Host;
}

type AnyOperator = LocalOperator | RemoteOperator;

/** `nowhere`: it has no disk; `gone`: its disk is on a host that no longer exists. */
type Place = AnyOperator | 'nowhere' | 'gone';

export class FleetOperator implements RuntimeOperator {
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async start(target: Target, request: StartRequest, emit?: Emit): Promise<void> {
    const place = await this.#placeOf(target);
    if (place === 'gone') {
      throw new ApiError(
        'sandbox_provider_error',
        'The disk of this runtime is on a host that is gone. Start that host again, or reset the runtime to start over elsewhere.',
      );
    }
    const operator = place === 'nowhere' ? await this.#choose() : place;
    await operator.start(target, request, emit);
  }

  async pause(target: Target, reason: PauseReason, emit?: Emit): Promise<void> {
    await (await this.#getOperator(target, 'pause')).pause(target, reason, emit);
  }

  async resume(target: Target, emit?: Emit): Promise<void> {
    await (await this.#getOperator(target, 'resume')).resume(target, emit);
  }

  async reset(target: Target, emit?: Emit): Promise<void> {
    const place = await this.#placeOf(target);
    if (isOperator(place)) return place.reset(target, emit);
    const { db } = this.#options;
    if (place === 'nowhere') throw await explainRefusal(db, target, 'reset');
    await transactionFor(db, target, (trx) => wipeIdle(trx, target));
  }

  keepAlive(target: Target, extendSeconds: number): Promise<string> {
    return keepAlive(this.#options.db, this.#options.rules, target, extendSeconds);
  }

  async end(target: Target, reason: string, sandboxId?: string): Promise<void> {
    const place = await this.#placeOf(target);
    if (isOperator(place)) await place.end(target, reason, sandboxId);
  }

  async delete(target: Target): Promise<void> {
    // Locates the runtime for each try, because it may just be starting on some host.
    await afterOtherMoves(async () => {
      const place = await this.#placeOf(target);
      if (isOperator(place)) await place.delete(target);
      else await transactionFor(this.#options.db, target, (trx) => deleteIdle(trx, target));
    });
  }

  async takeWorkspace(target: Target, fromRuntimeId: string): Promise<void> {
    const place = await this.#placeOf({ ...target, runtimeId: fromRuntimeId });
    if (isOperator(place)) return place.takeWorkspace(target, fromRuntimeId);
    throw new ApiError(
      'sandbox_provider_error',
      'The /workspace to take over is on a host that is gone, or was never written.',
    );
  }

  async exec(target: Target, command: Command, seen?: SandboxPlace): Promise<Execution> {
    const { host } = this.#options;
    if (seen && seen.hostId === host?.hostId && host.local) return host.local.exec(target, command, seen);
    return (await this.#getOperator(target, 'exec')).exec(target, command);
  }

  async openTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<TerminalLink> {
    const { host } = this.#options;
    if (seen && seen.hostId === host?.hostId && host.local)
      return host.local.openTerminal(target, request, seen);
    return (await this.#getOperator(target, 'exec')).openTerminal(target, request);
  }

  async checkTerminal(target: Target, request: TerminalRequest, seen?: SandboxPlace): Promise<void> {
    const { host } = this.#options;
    if (seen && seen.hostId === host?.hostId && host.local)
      return host.local.checkTerminal(target, request, seen);
    await (await this.#getOperator(target, 'exec')).checkTerminal(target, request);
  }

  async connect(target: Target, port: number, seen?: SandboxPlace): Promise<Duplex> {
    const { host } = this.#options;
    if (seen && seen.hostId === host?.hostId && host.local) return host.local.connect(target, port, seen);
    return (await this.#getOperator(target, 'connect')).connect(target, port);
  }

  async setCapabilities(target: Target): Promise<void> {
    const place = await this.#placeOf(target);
    if (isOperator(place)) await place.setCapabilities(target);
  }

  async #getOperator(target: Target, verb: Verb): Promise<AnyOperator> {
    const place = await this.#placeOf(target);
    if (isOperator(place)) return place;
    throw await explainRefusal(this.#options.db, target, verb);
  }

  async #placeOf({ organizationId, runtimeId }: Target): Promise<Place> {
    const { db, host } = this.#options;
    const row = await db
      .selectFrom('runtimes as r')
      .leftJoin('sandbox_hosts as h', 'h.id', 'r.host_id')
      .select(['h.id', 'h.url', 'h.holder_id'])
      .select(sql<boolean | null>`h.lease_expires_at > clock_timestamp()`.as('is_live'))
      .where('r.organization_id', '=', organizationId)
      .where('r.id', '=', runtimeId)
      .executeTakeFirst();
    if (!row) throw notFound('Runtime');
    if (row.id === null || row.url === null) return 'nowhere';
    if (row.id === host?.hostId && host.local) return host.local;
    if (!row.is_live) {
      await endLostSandboxes(db, row.id);
      return 'gone';
    }
    if (row.holder_id === host?.holderId) throw hostAway();
    return new RemoteOperator({ id: row.id, url: row.url }, this.#options.signer);
  }

  /** Prefers this host if a provider is available, then another host that has one; otherwise this host reports why there is none. */
  async #choose(): Promise<AnyOperator> {
    const { db, host, signer } = this.#options;
    const here = host?.local;
    if (here && host.reports.some(({ available }) => available)) return here;
    const { rows } = await sql<{ id: string; url: string }>`
      SELECT id, url FROM sandbox_hosts
       WHERE lease_expires_at > clock_timestamp() AND providers @> '[{"available": true}]'
         AND id <> ${host?.local ? host.hostId : NIL}
       ORDER BY random() LIMIT 1`.execute(db);
    const [found] = rows;
    if (found) return new RemoteOperator(found, signer);
    if (here) return here;
    throw new ApiError(
      'sandbox_provider_error',
      'There is no sandbox host. Start a server with DRYDOCK_ROLE=all or server on a machine that can run sandboxes.',
    );
  }
}

const NIL = '00000000-0000-0000-0000-000000000000';

const isOperator = (place: Place): place is AnyOperator => typeof place !== 'string';
