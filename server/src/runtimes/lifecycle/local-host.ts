/** What the changes of state on this host share: its lease, its providers, and one change of a runtime at a time. */

import { KeyedLock } from '../../platform/admission/keyed-lock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { apart, type Trx, transaction } from '../../platform/db/transaction.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { ProviderReport, SandboxProvider } from '../../platform/sandbox/sandbox-provider.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import type { GrantRules } from '../accounting/grants.ts';
import type { LeaseKey } from '../hosts/lease.ts';
import type { ProviderReports } from '../hosts/provider-reports.ts';
import type { Terminals } from '../terminals/terminals.ts';
import { busy, type Move } from './moves.ts';

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
  /** Of each sandbox: it shows what is installed as of one moment after the other. */
  readonly showing = new KeyedLock();
  readonly #reports: ProviderReports;
  /** Runtimes whose state this process is changing. */
  readonly #changing = new Map<string, { readonly move: Move; readonly done: Promise<unknown> }>();

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

  /** Of what can be had here, and what cannot. */
  get reports(): readonly ProviderReport[] {
    return this.#reports.all;
  }

  provider(name: string): SandboxProvider {
    const found = this.providers.find((provider) => provider.name === name);
    if (found) return found;
    throw new ApiError('sandbox_provider_error', `The provider "${name}" is not known to this host.`);
  }

  /** One change of a runtime at a time; who comes meanwhile is refused. */
  async change<T>(runtimeId: string, move: Move, work: () => Promise<T>): Promise<T> {
    const other = this.#changing.get(runtimeId);
    if (other) throw busy(other.move);
    const done = work();
    this.#changing.set(runtimeId, { move, done });
    try {
      return await done;
    } finally {
      this.#changing.delete(runtimeId);
    }
  }

  /**
   * A step of a change that is not its end: it claims, or gives up. To who sends the same call again, only the end has had an
   * effect.
   */
  step<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    return apart(() => transaction(this.db, work));
  }

  isChanging(runtimeId: string): boolean {
    return this.#changing.has(runtimeId);
  }

  /** Resolves once the changes that were under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#changing.values()].map(({ done }) => done));
  }
}
