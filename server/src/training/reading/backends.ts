/** Reads what can train here: trainers that have asked for jobs, and models of the registry. */
import { sql } from 'kysely';
import type { Principal } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { listTrainableModels } from '../../registry/service.ts';
import { BACKENDS } from '../schema.ts';
import { LOCAL_ENGINE } from '../working/claim.ts';
import type { Place } from './store.ts';

/** Whether this process can start a trainer by itself. */
export interface LocalTrainer {
  readonly installed: boolean;
  readonly detail: string;
}

interface SeenWorker {
  readonly name: string;
  readonly engines: string[];
  readonly resources: Record<string, unknown>;
  readonly seen_at: string;
  readonly job_id: string | null;
  readonly is_alive: boolean;
}

export async function getBackends(
  db: Db,
  { organizationId, workspaceId }: Place,
  local: LocalTrainer,
  showBackend: (backend: string) => string,
) {
  const { rows } = await sql<SeenWorker>`
    SELECT w.name, w.engines, w.resources, greatest(w.seen_at, j.reported_at) AS seen_at, j.id AS job_id,
           j.id IS NOT NULL OR w.seen_at > now() - interval '1 minute' AS is_alive
      FROM training_workers AS w
      LEFT JOIN LATERAL (
        SELECT j.id, j.reported_at FROM training_jobs AS j
         WHERE j.organization_id = w.organization_id AND j.workspace_id = w.workspace_id AND j.status = 'running'
           AND j.worker = w.name AND j.lease_expires_at > now() LIMIT 1
      ) AS j ON true
     WHERE w.organization_id = ${organizationId} AND w.workspace_id = ${workspaceId}
     ORDER BY 4 DESC LIMIT 100`.execute(db);
  const { rows: counted } = await sql<{ queued: number }>`
    SELECT count(*) AS queued FROM training_jobs
     WHERE organization_id = ${organizationId} AND workspace_id = ${workspaceId} AND status = 'queued'`.execute(
    db,
  );
  const isAvailable =
    local.installed || rows.some(({ is_alive, engines }) => is_alive && engines.includes(LOCAL_ENGINE));
  return {
    backends: BACKENDS.map((backend) =>
      backend === 'hosted_a'
        ? {
            backend: showBackend(backend),
            trainer_types: ['sft'],
            engine: LOCAL_ENGINE,
            available: isAvailable,
            reason: isAvailable
              ? null
              : 'No trainer is connected. Install one beside the server with "npm run setup -- --training", or connect one from another machine with "npm run trainer".',
          }
        : {
            backend: showBackend(backend),
            trainer_types: [],
            engine: null,
            available: false,
            reason: 'No engine for reinforcement learning is available here.',
          },
    ),
    workers: rows.map(({ name, engines, resources, seen_at, job_id }) => ({
      name,
      engines,
      resources,
      seen_at,
      job_id,
    })),
    local_trainer: local,
    queued_jobs: counted[0]?.queued ?? 0,
  };
}

interface CatalogQuery {
  readonly limit: number;
  /** Only models of this one. */
  readonly organizationId?: string;
  readonly showBackend: (backend: string) => string;
}

export async function getCatalog(
  db: Db,
  principal: Principal,
  { limit, organizationId, showBackend }: CatalogQuery,
) {
  const { models, total } = await listTrainableModels(db, principal, { organizationId, limit });
  const shown = models.map(({ name, version, summary, architecture, size_bytes }) => ({
    name: `${name}@${version}`,
    version,
    summary,
    architecture,
    size_bytes,
    backends: [showBackend('hosted_a')],
    trainer_types: ['sft'],
  }));
  return { models: shown, total, limit };
}
