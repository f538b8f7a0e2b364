/**
 * This process as a host of sandboxes: it takes the lease of its data directory, adopts the sandboxes there, and renews the lease. A
 * process that cannot get the lease retries, and a process that loses it ends its sandboxes before other processes declare them ended.
 */
import { join } from 'node:path';
import type { Db } from '../../platform/db/connect.ts';
import type { Log } from '../../platform/log.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type {
  ProviderReport,
  SandboxEvents,
  SandboxProvider,
} from '../../platform/sandbox/sandbox-provider.ts';
import type { Vault } from '../../platform/secrets/envelope.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { GrantRules } from '../accounting/grants.ts';
import { announce, LEASE_SECONDS, type LeaseKey, renewLease, takeLease } from '../lifecycle/host-lease.ts';
import { LocalHost } from '../lifecycle/local-host.ts';
import { LocalOperator } from '../lifecycle/local-operator.ts';
import { type Judge, ProviderReports } from '../lifecycle/provider-reports.ts';
import { adoptAll, countByState, type StateCount } from '../lifecycle/upkeep/adoption.ts';
import { Upkeep } from '../lifecycle/upkeep/upkeep.ts';
import { type TerminalLimits, Terminals } from '../terminals/terminals.ts';
import { fateOf, readHostFile, writeHolder } from './host-file.ts';

const RENEW_MS = 3_000;
/** Interval for checking unavailable providers again. */
const ASK_AGAIN_MS = 15_000;
/** Milliseconds since the last successful renewal; the rest of the lease is the time to end everything. */
const WAIT_TIMEOUT_MS = (LEASE_SECONDS - 4) * 1_000;

export interface HostOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly vault: Vault;
  readonly log: Log;
  readonly rules: GrantRules;
  /** Folder of the sandboxes and their disks. */
  readonly folder: string;
  readonly url: string;
  readonly providers: (events: SandboxEvents) => readonly SandboxProvider[];
  readonly judge: Judge;
  readonly terminalLimits?: Partial<TerminalLimits> | undefined;
}

type State = 'none' | 'adopting' | 'holding' | 'losing';

export class Host {
  readonly #options: HostOptions;
  readonly #file: string;
  readonly #lease: LeaseKey;
  readonly #local: LocalHost;
  readonly #operator: LocalOperator;
  readonly #upkeep: Upkeep;
  readonly #reports: ProviderReports;
  readonly #timers: NodeJS.Timeout[] = [];
  #url: string;
  #state: State = 'none';
  #renewedAt = 0;
  #watch: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #asking: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: HostOptions, providers: Providers) {
    const { db, storage, vault, log, rules } = options;
    this.#options = options;
    this.#url = options.url;
    this.#file = fileOf(options);
    this.#lease = { hostId: readHostFile(this.#file).id, holderId: uuidv7() };
    const terminals = new Terminals(log, options.terminalLimits);
    const parts = { db, storage, vault, log, rules, terminals };
    this.#reports = providers.reports;
    this.#local = new LocalHost({ ...parts, lease: this.#lease, ...providers });
    this.#operator = new LocalOperator(this.#local);
    this.#upkeep = new Upkeep(this.#local, this.#operator);
    providers.listen(this.#upkeep.events);
  }

  /** Resolves once it has adopted the existing sandboxes, or knows that another process of the data directory does. */
  static async open(options: HostOptions): Promise<Host> {
    const host = new Host(options, await openProviders(options));
    await host.#tick();
    host.#timers.push(
      setInterval(() => void host.#tick(), RENEW_MS).unref(),
      setInterval(() => host.#askAgain(), ASK_AGAIN_MS).unref(),
    );
    return host;
  }

  get hostId(): string {
    return this.#lease.hostId;
  }

  /** Id of this process, new at each start. */
  get holderId(): string {
    return this.#lease.holderId;
  }

  /** Set while it holds the lease. */
  get local(): LocalOperator | undefined {
    return this.#state === 'holding' ? this.#operator : undefined;
  }

  get reports(): readonly ProviderReport[] {
    return this.#reports.all;
  }

  async countByState(): Promise<readonly StateCount[]> {
    return this.#state === 'holding' ? countByState(this.#local) : [];
  }

  get terminalCount(): number {
    return this.#local.terminals.count;
  }

  /** Publishes the address at which it can be reached. */
  async announce(url: string): Promise<void> {
    this.#url = url;
    await announce(this.#options.db, this.#lease, { url });
  }

  /** Releases the sandboxes without ending them: the lease remains until it expires, and the next process adopts them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    clearTimeout(this.#watch);
    await this.#turn;
    await this.#asking;
    await this.#upkeep.stop();
    await this.#local.settled();
    await this.#local.terminals.close();
    for (const provider of this.#local.providers) await provider.close();
    if (this.#state !== 'holding') return;
    this.#state = 'none';
    writeHolder(this.#file, this.hostId, this.holderId, true);
  }

  /** Runs one tick at a time. */
  #tick(): Promise<void> {
    const next = this.#takeTurn(this.#turn);
    this.#turn = next;
    return next;
  }

  async #takeTurn(after: Promise<void>): Promise<void> {
    await after;
    if (this.#isClosed) return;
    try {
      if (this.#state === 'none') await this.#become();
      else if (this.#state === 'holding') await this.#renew();
    } catch (error) {
      const { log } = this.#options;
      log.warn({ err: error, hostId: this.hostId }, 'the lease of this host could not be renewed');
    }
  }

  async #become(): Promise<void> {
    const { holder } = readHostFile(this.#file);
    const isOwn = holder?.holderId === this.#lease.holderId;
    const fate = holder && !isOwn ? fateOf(holder) : 'dead';
    if (fate === 'alive') return;
    const sentAt = performance.now();
    const taken = await takeLease(this.#options.db, {
      ...this.#lease,
      url: this.#url,
      providers: this.#reports.all,
      deadHolderId: fate === 'dead' ? holder?.holderId : undefined,
    });
    if (!taken) return;
    writeHolder(this.#file, this.#lease.hostId, this.#lease.holderId);
    this.#expectRenewal(sentAt);
    this.#state = 'adopting';
    const renewing = setInterval(() => void this.#renew().catch(() => undefined), RENEW_MS);
    try {
      await adoptAll(this.#local, taken.lastRenewedAt ? { at: taken.lastRenewedAt } : { agoMs: 0 });
      if (this.#state === 'adopting') this.#state = 'holding';
      this.#upkeep.start();
      // The lease may have run out during the adoption, which nothing interrupts.
      this.#expectRenewal(this.#renewedAt);
    } catch (error) {
      this.#state = 'none';
      throw error;
    } finally {
      clearInterval(renewing);
    }
  }

  async #renew(): Promise<void> {
    const sentAt = performance.now();
    if (await renewLease(this.#options.db, this.#lease)) this.#expectRenewal(sentAt);
    else this.#lose();
  }

  /** Gives the lease up unless it is renewed in time, even while the database does not respond at all. */
  #expectRenewal(renewedAt: number): void {
    this.#renewedAt = renewedAt;
    clearTimeout(this.#watch);
    const leftMs = renewedAt + WAIT_TIMEOUT_MS - performance.now();
    if (leftMs <= 0) this.#lose();
    else if (!this.#isClosed) this.#watch = setTimeout(() => this.#expectRenewal(renewedAt), leftMs).unref();
  }

  /** Runs concurrently with renewals, because it may take long. */
  #askAgain(): void {
    const ask = async () => {
      if (this.#state !== 'holding' || !(await this.#reports.askAgain())) return;
      await announce(this.#options.db, this.#lease, { providers: this.#reports.all });
    };
    this.#asking ??= ask()
      .catch((error: unknown) => {
        const { log } = this.#options;
        log.warn({ err: error, hostId: this.hostId }, 'its providers could not be asked again');
      })
      .finally(() => (this.#asking = undefined));
  }

  /** Ends everything that runs here, because other processes will declare it ended. After that the lease can be taken again. */
  #lose(): void {
    if (this.#state !== 'holding') return;
    this.#state = 'losing';
    const { log } = this.#options;
    log.error({ hostId: this.hostId }, 'the lease of this host was lost; its sandboxes are ended');
    const end = async () => {
      for (const provider of this.#local.providers) {
        // A provider that is unavailable, such as a stopped engine, must not block the others.
        const ids = await provider.list().catch((error: unknown) => {
          log.error({ err: error, provider: provider.name }, 'its sandboxes could not be listed');
          return [];
        });
        const killed = await Promise.allSettled(ids.map((id) => provider.kill(id)));
        for (const kill of killed)
          if (kill.status === 'rejected') log.error({ err: kill.reason }, 'a sandbox could not be ended');
      }
      await this.#upkeep.stop();
      await this.#local.settled();
    };
    end()
      .catch((error: unknown) => log.error({ err: error }, 'not every sandbox could be ended'))
      .finally(() => (this.#state = 'none'));
  }
}

const fileOf = ({ folder }: HostOptions) => join(folder, 'host.json');

interface Providers {
  readonly providers: readonly SandboxProvider[];
  readonly reports: ProviderReports;
  /** Subscribes to the events of sandboxes. */
  readonly listen: (events: SandboxEvents) => void;
}

async function openProviders({ providers: open, judge }: HostOptions): Promise<Providers> {
  let listener: SandboxEvents | undefined;
  const providers = open({
    ended: (...event) => listener?.ended(...event),
    egress: (...event) => listener?.egress(...event),
  });
  return {
    providers,
    reports: await ProviderReports.of(providers, judge),
    listen: (events) => (listener = events),
  };
}
