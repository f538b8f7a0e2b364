import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError } from '../../platform/errors.ts';
import type { SandboxKey } from '../accounting/periods.ts';
import { BY_ITSELF } from '../lifecycle/pausing.ts';

const POLL_INTERVAL_MS = 50;
const MAX_ATTEMPTS = 40;

/**
 * The sandbox has ended and cannot come back: its host died, a user ended it, its time was up, or its lease lapsed. The work can only be
 * repeated in a new one.
 */
export class SandboxGone extends ApiError {
  readonly sandboxId: string;
  /**
   * Whether a program in the sandbox caused its end, by killing the first process or filling the disk, rather than a failure of the
   * infrastructure.
   */
  readonly isEndedFromInside: boolean;

  constructor(sandboxId: string, reason: string, { isEndedFromInside = false } = {}) {
    super('sandbox_provider_error', `Sandbox ${sandboxId} is gone. ${reason}`);
    this.sandboxId = sandboxId;
    this.isEndedFromInside = isEndedFromInside;
  }
}

/** Determines why a sandbox does not run. The reason is stored shortly after the end, so it is waited for, at most 2 s. */
export async function explainGone(db: Db, { organizationId, sandboxId }: SandboxKey): Promise<SandboxGone> {
  for (let attempt = 0; ; attempt++) {
    const row = await db
      .selectFrom('sandboxes')
      .select('end_reason')
      .where('organization_id', '=', organizationId)
      .where('id', '=', sandboxId)
      .executeTakeFirst();
    const reason = row?.end_reason;
    if (reason) return new SandboxGone(sandboxId, reason, { isEndedFromInside: isFromInside(reason) });
    if (attempt === MAX_ATTEMPTS) return new SandboxGone(sandboxId, 'It does not run any more.');
    await sleep(POLL_INTERVAL_MS);
  }
}

/** The reason that the disk guard stores when it ends a sandbox for the size of its own disk. */
const OWN_DISK = /\bits disk holds\b/;

const isFromInside = (reason: string) => reason === BY_ITSELF || OWN_DISK.test(reason);
