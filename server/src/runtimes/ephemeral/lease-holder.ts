/** Holds the lease on an ephemeral runtime for as long as this process works with it, and notices when its sandbox is gone. */
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { endLease, type Lease, renewLease } from './leases.ts';
import { explainGone, SandboxGone } from './sandbox-gone.ts';

export const LEASE_SECONDS = 90;
export const RENEW_MS = 15_000;

interface HolderOptions {
  readonly db: Db;
  readonly log: Log;
  readonly lease: Lease;
  readonly renewMs: number;
  /** Whether the runtime existed before this process held it, so that it survives an error. */
  readonly isKept: boolean;
  /** Throws a `forbidden_error` once the owner may no longer run sandboxes in the workspace. */
  readonly requireOwner: () => Promise<unknown>;
}

export class LeaseHolder {
  readonly #options: HolderOptions;
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewing: Promise<void> | undefined;
  /** Seconds for which the runtime survives this process. */
  #seconds = LEASE_SECONDS;
  #isKept: boolean;
  /** Id of the sandbox that must be running; undefined before its start and after its end. */
  #sandboxId: string | undefined;

  constructor(options: HolderOptions) {
    this.#options = options;
    this.#isKept = options.isKept;
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
        .catch((err: unknown) => options.log.warn({ err, ...options.lease }, 'a lease could not be renewed'))
        .finally(() => (this.#renewing = undefined));
    }, options.renewMs).unref();
  }

  /**
   * Aborted with a `SandboxGone` when the sandbox has ended, or the lease has lapsed or was taken by another process, and with a
   * `forbidden_error` when the owner has lost the permission to run it.
   */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** @param sandboxId undefined after an intended end of the sandbox */
  expect(sandboxId: string | undefined): void {
    this.#sandboxId = sandboxId;
  }

  /** Ties the runtime to this process again. Nothing is stored: its lease has the usual length. */
  letGo(): void {
    this.#isKept = false;
  }

  /** @param seconds 0 undoes an earlier call */
  async keep(seconds: number): Promise<void> {
    this.#isKept = seconds > 0;
    this.#seconds = Math.max(seconds, LEASE_SECONDS);
    await this.#renew();
    this.lost.throwIfAborted();
  }

  /** @returns whether the runtime must be deleted: it is neither kept nor held by another process */
  async release(): Promise<boolean> {
    clearInterval(this.#timer);
    await this.#renewing;
    const { db, lease } = this.#options;
    if (!this.#isKept) return endLease(db, lease);
    await renewLease(db, lease, this.#seconds);
    return false;
  }

  async #renew(): Promise<void> {
    const { db, lease, requireOwner } = this.#options;
    await requireOwner().catch((error: unknown) => {
      if (!(error instanceof ApiError && error.type === 'forbidden_error')) throw error;
      this.#lost.abort(error);
    });
    const sandboxId = this.#sandboxId;
    const status = await renewLease(db, lease, this.#seconds);
    if (!status) {
      const reason = 'Its lease has lapsed, or another process has taken it up.';
      this.#lost.abort(new SandboxGone(sandboxId ?? `of runtime ${lease.runtimeId}`, reason));
    } else if (sandboxId !== undefined && status !== 'running') {
      const { organizationId } = lease;
      const gone = await explainGone(db, { organizationId, sandboxId });
      if (this.#sandboxId === sandboxId) this.#lost.abort(gone);
    }
  }
}
