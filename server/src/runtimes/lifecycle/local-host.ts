/** State that the transitions of this host share: its lease, its providers, and a mutex per runtime. */
import { KeyedLock } from '../../platform/admission/keyed-lock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { ProviderReport, SandboxProvider } from '../../platform/sandbox/sandbox-provider.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import type { GrantRules } from '../accounting/grants.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { busy, type Transition } from '../transitions.ts';
import type { LeaseKey } from './host-lease.ts';
import type { ProviderReports } from './provider-reports.ts';

export interface LocalHostOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly vault: Vault;
  readonly log: Log;
  readonly lease: LeaseKey;
  readonly rules: GrantRules;
  readonly providers: readonly SandboxProvider[];
  readonly reports: ProviderReports;
  readonly terminals: Terminals;
}

export class LocalHost {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly vault: Vault;
  readonly log: Log;
  readonly lease: LeaseKey;
  readonly rules: GrantRules;
  readonly providers: readonly SandboxProvider[];
  readonly terminals: Terminals;
  /** Serializes applying capabilities per sandbox, so that it never goes back to an older state. */
  readonly capabilityLock = new KeyedLock();
  readonly #reports: ProviderReports;
  /** True until a listing has shown that there are none. */
  #hasSandboxes = true;
  #hasChangedWhileListing = false;
  /** Runtimes that this process is changing. */
  readonly #changing = new Map<string, { readonly move: Transition; readonly done: Promise<unknown> }>();

  constructor({ db, storage, vault, log, lease, rules, providers, reports, terminals }: LocalHostOptions) {
    this.db = db;
    this.storage = storage;
    this.vault = vault;
    this.log = log;
    this.lease = lease;
    this.rules = rules;
    this.providers = providers;
    this.#reports = reports;
    this.terminals = terminals;
  }

  /** Reports of available and unavailable providers. */
  get reports(): readonly ProviderReport[] {
    return this.#reports.all;
  }

  provider(name: string): SandboxProvider {
    const found = this.providers.find((provider) => provider.name === name);
    if (found) return found;
    throw new ApiError('sandbox_provider_error', `The provider "${name}" is unknown to this host.`);
  }

  /** Allows one change of a runtime at a time; a concurrent one is refused. */
  async change<T>(runtimeId: string, move: Transition, work: () => Promise<T>): Promise<T> {
    const other = this.#changing.get(runtimeId);
    if (other) throw busy(other.move);
    this.#hasSandboxes = true;
    this.#hasChangedWhileListing = true;
    const done = work();
    this.#changing.set(runtimeId, { move, done });
    try {
      return await done;
    } finally {
      this.#changing.delete(runtimeId);
    }
  }

  /**
   * A transaction that is not the effect of a call with an idempotency key, unlike `transactionFor`: it claims or gives up a transition.
   */
  step<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return transaction(this.db, work);
  }

  /** Whether a sandbox of this host may be alive. If not, there is nothing to poll for. */
  get hasSandboxes(): boolean {
    return this.#hasSandboxes;
  }

  /** Lists the living sandboxes, and notes whether there are any. A change during the listing may have started one that it does not show. */
  async noteAlive<Sandbox>(list: () => Promise<readonly Sandbox[]>): Promise<readonly Sandbox[]> {
    this.#hasChangedWhileListing = this.#changing.size > 0;
    const alive = await list();
    this.#hasSandboxes = alive.length > 0 || this.#hasChangedWhileListing;
    return alive;
  }

  isChanging(runtimeId: string): boolean {
    return this.#changing.has(runtimeId);
  }

  /** Resolves when all changes in progress have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#changing.values()].map(({ done }) => done));
  }
}
