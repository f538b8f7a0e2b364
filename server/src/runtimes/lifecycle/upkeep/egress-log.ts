/** Records network requests of sandboxes in batches, because a guest decides how many there are. */
import { sql } from 'kysely';
import { transaction } from '../../../platform/db/transaction.ts';
import type { EgressEntry } from '../../../platform/sandbox/sandbox-provider.ts';
import type { LocalHost } from '../local-host.ts';
import { appendLog, type LogEntry } from '../sandbox-log.ts';

/** Maximum number of entries of one sandbox between two batches; further ones are only counted. */
const MAX_WAITING = 1_000;

interface Waiting {
  readonly entries: EgressEntry[];
  dropped: number;
}

export class EgressLog {
  readonly #host: LocalHost;
  #waiting = new Map<string, Waiting>();

  constructor(host: LocalHost) {
    this.#host = host;
  }

  add(sandboxId: string, entry: EgressEntry): void {
    const waiting = this.#waiting.get(sandboxId) ?? { entries: [], dropped: 0 };
    this.#waiting.set(sandboxId, waiting);
    if (waiting.entries.length < MAX_WAITING) waiting.entries.push(entry);
    else waiting.dropped++;
  }

  async flush(): Promise<void> {
    const taken = this.#waiting;
    if (taken.size === 0) return;
    this.#waiting = new Map();
    const organizations = await this.#findOrganizations([...taken.keys()]);
    for (const [sandboxId, waiting] of taken) {
      const organizationId = organizations.get(sandboxId);
      if (organizationId === undefined) continue;
      const key = { organizationId, sandboxId };
      await transaction(this.#host.db, (trx) => appendLog(trx, key, toLogEntries(waiting)));
    }
  }

  async #findOrganizations(sandboxIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await sql<{ id: string; organization_id: string }>`
      SELECT id, organization_id FROM sandboxes /* of every organization */
       WHERE host_id = ${this.#host.lease.hostId} AND id = ANY (${sandboxIds}::uuid[])`.execute(
      this.#host.db,
    );
    return new Map(rows.map(({ id, organization_id }) => [id, organization_id]));
  }
}

function toLogEntries({ entries, dropped }: Waiting): LogEntry[] {
  const now = Date.now();
  const logged = entries.map(
    ({ at, host, port, isAllowed, reason }): LogEntry => ({
      kind: 'egress',
      message: isAllowed ? 'allowed' : 'refused',
      details: { host, port, allowed: isAllowed, ...(reason !== undefined && { reason }) },
      agoMs: now - at.getTime(),
    }),
  );
  if (dropped === 0) return logged;
  return [...logged, { kind: 'egress', message: 'not recorded', details: { count: dropped } }];
}
