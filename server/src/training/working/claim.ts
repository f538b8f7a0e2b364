/** Gives a waiting job to a trainer that asks, and lets it wait for one. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { forbidden } from '../../platform/errors.ts';
import { type CreditRule, hasCredits } from '../credits.ts';
import { LEASE_SECONDS, returnLostJobs, takeJob } from '../job-state.ts';
import type { StoredJob } from '../stored-job.ts';
import { type FileStore, linkFiles } from './job-files.ts';
import type { ClaimedJob, ClaimRequest } from './schema.ts';

/** The engine that trains `sft` jobs of `hosted_a`. */
export const LOCAL_ENGINE = 'local';
const POLL_INTERVAL_MS = 1_000;

export async function claimJob(
  store: FileStore & CreditRule,
  scope: WorkspaceScope,
  request: ClaimRequest,
  signal: AbortSignal,
): Promise<ClaimedJob | null> {
  const keyId = keyOf(scope);
  const until = performance.now() + request.wait_seconds * 1_000;
  await noteWorker(store, scope, request);
  for (;;) {
    signal.throwIfAborted();
    await returnLostJobs(store.db, scope);
    const isAble =
      request.engines.includes(LOCAL_ENGINE) && (await hasCredits(store.db, store, scope.organizationId));
    const job = isAble ? await takeJob(store.db, scope, { worker: request.worker, keyId }) : undefined;
    if (job) return toClaimed(store, job);
    const left = until - performance.now();
    if (left <= 0) return null;
    await sleep(Math.min(left, POLL_INTERVAL_MS), undefined, { signal });
  }
}

/** The operations of trainers are reached with an API key only, which names their scope. */
export function keyOf({ principal }: WorkspaceScope): string {
  if (!principal.apiKey) throw forbidden('Trainers use an API key.');
  return principal.apiKey.id;
}

async function toClaimed(store: FileStore, job: StoredJob): Promise<ClaimedJob> {
  const { request } = job;
  const { name, version } = request.capability;
  return {
    id: job.id,
    attempt: job.attempt,
    name: job.name,
    backend: job.backend,
    trainer_type: job.trainer_type,
    engine: LOCAL_ENGINE,
    lease: { seconds: LEASE_SECONDS },
    capability: { name, version, system_prompt: request.system_prompt },
    config: { ...otherSettings(request.config), ...request.effective },
    ...(await linkFiles(store, job)),
  };
}

const REFERENCES = new Set(['dataset_ref', 'trajectory_dataset_refs', 'eval_dataset_ref']);

/** Settings that the contract does not have: a trainer whose engine lacks one refuses the job and names it. */
const otherSettings = (config: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(config).filter(
      ([name, value]) => !REFERENCES.has(name) && value !== null && value !== undefined,
    ),
  );

/** Stores that a trainer has asked, for `GET …/training/backends`. */
async function noteWorker(
  { db }: FileStore,
  { organizationId, workspaceId }: WorkspaceScope,
  { worker, engines, resources }: ClaimRequest,
): Promise<void> {
  await sql`
    INSERT INTO training_workers (organization_id, workspace_id, name, engines, resources, seen_at)
    VALUES (${organizationId}, ${workspaceId}, ${worker}, ${engines}, ${JSON.stringify(resources)}::jsonb, now())
    ON CONFLICT (organization_id, workspace_id, name) DO UPDATE
      SET engines = excluded.engines, resources = excluded.resources, seen_at = excluded.seen_at`.execute(db);
}
