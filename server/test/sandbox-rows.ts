/** Inserts hosts and sandboxes directly into their tables, for tests of the operations that report them. */
import { sql } from 'kysely';
import type { Db } from '../src/platform/db/connect.ts';
import { uuidv7 } from '../src/platform/uuid.ts';

export async function addHost(
  db: Db,
  providers: readonly object[] = [],
  leaseSeconds = 3_600,
): Promise<string> {
  const id = uuidv7();
  await sql`
    INSERT INTO sandbox_hosts (id, url, holder_id, lease_expires_at, providers)
    VALUES (${id}, 'http://127.0.0.1:1', ${uuidv7()}, now() + make_interval(secs => ${leaseSeconds}),
            ${JSON.stringify(providers)}::jsonb)`.execute(db);
  return id;
}

export interface SandboxTimes {
  readonly state?: 'starting' | 'running' | 'paused' | 'killed';
  /** Milliseconds of the ended periods. */
  readonly endedMs?: number;
  /** Seconds since the current period began, and until it must end. */
  readonly ranSeconds?: number;
  readonly leftSeconds?: number;
  readonly billedCredits?: number;
  readonly pauseReason?: string;
}

/**
 * Adds the last sandbox of an existing runtime.
 * @returns its id
 */
export async function addSandbox(
  db: Db,
  hostId: string,
  runtime: { readonly id: string; readonly organizationId: string },
  {
    state = 'running',
    endedMs = 0,
    ranSeconds = 10,
    leftSeconds = 600,
    billedCredits = 0,
    pauseReason,
  }: SandboxTimes = {},
): Promise<string> {
  const id = uuidv7();
  const isRunning = state === 'running';
  await sql`
    WITH started AS (
      UPDATE runtimes SET sandbox_id = ${id}, host_id = ${hostId}, status = ${state === 'killed' || state === 'starting' ? 'idle' : state}
       WHERE organization_id = ${runtime.organizationId} AND id = ${runtime.id}
      RETURNING organization_id, id, workspace_id, project_id, created_by, config_digest)
    INSERT INTO sandboxes (organization_id, id, runtime_id, workspace_id, project_id, created_by, host_id, provider, provider_sandbox_id,
                           supports_pause, config_digest, limits, state, period, period_started_at, expires_at, ended_periods_ms,
                           billed_credits, pause_reason, ended_at, end_reason)
    SELECT organization_id, ${id}, id, workspace_id, project_id, created_by, ${hostId}, 'namespaces', ${id}, true, config_digest,
           '{"memory_mb": 2048}', ${state}, 1,
           CASE WHEN ${isRunning} THEN clock_timestamp() - make_interval(secs => ${ranSeconds}) END,
           CASE WHEN ${isRunning} THEN clock_timestamp() + make_interval(secs => ${leftSeconds}) END,
           ${endedMs}, ${billedCredits}, ${pauseReason ?? null},
           CASE WHEN ${state === 'killed'} THEN clock_timestamp() END, CASE WHEN ${state === 'killed'} THEN 'ended' END
      FROM started`.execute(db);
  return id;
}
