/**
 * Periodic work of a host: it ends expired sandboxes, stores ends, measures disks, writes the egress log, and repairs inconsistent states.
 */
import { sql } from 'kysely';
import { transaction } from '../../../platform/db/transaction.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { SandboxEvents } from '../../../platform/sandbox/sandbox-provider.ts';
import { busy } from '../../transitions.ts';
import { measureDisks } from '../disk-sizes.ts';
import { recordEnd } from '../ending.ts';
import type { LocalHost } from '../local-host.ts';
import type { LocalOperator } from '../local-operator.ts';
import { BY_ITSELF } from '../pausing.ts';
import { showForgotten } from '../show-capabilities.ts';
import { removeLeftovers, repairForgotten } from './adoption.ts';
import { EgressLog } from './egress-log.ts';

const EXPIRY_MS = 1_000;
/** The log keeps up to 1,000 requests of a sandbox between two batches. */
const EGRESS_MS = 500;
const REPAIR_MS = 5_000;
const LEFTOVERS_MS = 60_000;
/** Disks are measured less often, since measuring one of a million files takes seconds. */
const MEASURE_MS = 10_000;
const BATCH = 50;

interface Expired {
  readonly organization_id: string;
  readonly runtime_id: string;
  /** An ephemeral sandbox is ended instead of paused, because its work cannot continue after a pause. */
  readonly can_pause: boolean;
  readonly runtime_limited_by_credits: boolean;
}

const END_REASONS = {
  timeout: 'It has reached its runtime limit.',
  insufficient_credits: 'The organization has no credits left for it.',
};

export class Upkeep {
  readonly #host: LocalHost;
  readonly #operator: LocalOperator;
  readonly #egress: EgressLog;
  readonly #timers: NodeJS.Timeout[] = [];
  #running = new Set<Promise<void>>();

  constructor(host: LocalHost, operator: LocalOperator) {
    this.#host = host;
    this.#operator = operator;
    this.#egress = new EgressLog(host);
  }

  start(): void {
    this.#every(REPAIR_MS, 'repair', async () => void (await repairForgotten(this.#host)));
    this.#every(EXPIRY_MS, 'expiry', async () => {
      if (this.#host.hasSandboxes) await this.#endExpired();
    });
    this.#every(REPAIR_MS, 'capabilities', async () => {
      if (this.#host.hasSandboxes) await showForgotten(this.#host);
    });
    this.#every(MEASURE_MS, 'disk sizes', () => measureDisks(this.#host));
    this.#every(LEFTOVERS_MS, 'leftovers', () => removeLeftovers(this.#host));
    this.#every(EGRESS_MS, 'egress log', () => this.#egress.flush());
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await Promise.allSettled(this.#running);
    await this.#egress.flush().catch(() => undefined);
  }

  readonly events: SandboxEvents = {
    ended: (id, endedAt, reason) => this.#track(this.#noteEnd(id, endedAt, reason)),
    egress: (id, entry) => this.#egress.add(id, entry),
  };

  /** Runs one instance of each kind of work at a time. */
  #every(milliseconds: number, what: string, work: () => Promise<void>): void {
    let isBusy = false;
    const timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      const done = work()
        .catch((error: unknown) =>
          this.#host.log.warn({ err: error, what }, 'the upkeep of sandboxes failed'),
        )
        .finally(() => (isBusy = false));
      void this.#track(done);
    }, milliseconds).unref();
    this.#timers.push(timer);
  }

  #track(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    const forget = () => this.#running.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #endExpired(): Promise<void> {
    const { rows } = await sql<Expired>`
      SELECT organization_id, runtime_id, supports_pause AND origin = 'user' AS can_pause, runtime_limited_by_credits
        FROM sandboxes /* of every organization */
       WHERE host_id = ${this.#host.lease.hostId} AND state = 'running' AND expires_at <= clock_timestamp()
       ORDER BY expires_at LIMIT ${BATCH}`.execute(this.#host.db);
    await Promise.all(rows.map((row) => this.#expire(row)));
  }

  async #expire(row: Expired): Promise<void> {
    const target = {
      organizationId: row.organization_id,
      runtimeId: row.runtime_id,
      actorId: undefined,
      requestId: '',
    };
    const reason = row.runtime_limited_by_credits ? 'insufficient_credits' : 'timeout';
    try {
      if (row.can_pause) await this.#operator.expire(target, reason);
      else await this.#operator.end(target, END_REASONS[reason]);
    } catch (error) {
      // A concurrent change or extension; the sandbox is checked again later.
      if (error instanceof ApiError && error.status === 409) return;
      if (!(error instanceof ApiError)) throw error;
      this.#host.log.error({ err: error, runtimeId: row.runtime_id }, 'a sandbox could not be paused');
      await this.#operator.end(target, 'It has reached its limit, and could not be paused.');
    }
  }

  /**
   * Stores that the processes of a sandbox are gone. An end that cannot be stored yet is rejected: the provider keeps it, even for the next
   * process, and reports it again. It must not wait for other changes, because a change in progress may wait for it.
   */
  async #noteEnd(sandboxId: string, endedAt: Date, reason = BY_ITSELF): Promise<void> {
    const { db, lease } = this.#host;
    const { rows } = await sql<{ organizationId: string; runtimeId: string; isSettled: boolean }>`
      SELECT s.organization_id AS "organizationId", s.runtime_id AS "runtimeId",
             (s.state <> 'starting' AND r.move IS NULL) AS "isSettled"
        FROM sandboxes AS s /* of every organization */
        JOIN runtimes AS r ON r.organization_id = s.organization_id AND r.id = s.runtime_id
       WHERE s.id = ${sandboxId} AND s.host_id = ${lease.hostId} AND s.state <> 'killed'`.execute(db);
    const [row] = rows;
    if (!row) return;
    if (!row.isSettled) throw busy('ending');
    const { isSettled: _isSettled, ...key } = row;
    await this.#host.change(row.runtimeId, 'ending', async () => {
      const moment = { agoMs: Date.now() - endedAt.getTime() };
      await transaction(db, (trx) => recordEnd(trx, { ...key, sandboxId }, { moment, reason }));
      this.#operator.forget(sandboxId);
    });
  }
}
