/** What lists of jobs, candidates and proposals read is of their workspace or job alone, however much others have. */
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { openEvaluations } from '../../test/evaluation-rows.ts';
import { countBlocks, explainWork } from '../../test/query-plans.ts';
import { listEvaluations } from '../evaluations/reading/store.ts';
import { uuidv7 } from '../platform/uuid.ts';
import { listCandidates, listProposals } from './reading/candidates.ts';
import { getJob, listJobs } from './reading/store.ts';

const CANDIDATES = 20;
const OTHERS = 40;

const { db, url, place } = await openEvaluations();
const own = uuidv7();
const { organizationId, workspaceId } = place;
const otherWorkspaceId = uuidv7();

/** A job with 20 candidates, each with a proposal, a reflection and an evaluation. */
async function add(id: string): Promise<void> {
  const workspace = id === own ? workspaceId : otherWorkspaceId;
  await sql`
    INSERT INTO optimization_jobs (organization_id, id, workspace_id, created_by, model, target_kind, request, seed_candidate,
                                   train_size, val_size, holdout_size, status, best_index)
    SELECT organization_id, ${id}, id, created_by, 'sim/echo', 'capability_agent',
           '{"capability": {}, "config": {}, "components": [], "task_refs": null, "val_task_refs": null}', '{}', 3, 0, 0, 'completed', 0
      FROM workspaces WHERE organization_id = ${organizationId} AND id = ${workspace}`.execute(db);
  await sql`
    INSERT INTO optimization_candidates (organization_id, job_id, index, iteration, proposal, found_by, parents, texts, scores,
                                         mean_score, objectives, is_best, metric_calls)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, n, 0, 'reflection', '{0}', '{"instructions": "text"}', '{0, 1, 1}', 0.5, '{}', false, n
      FROM generate_series(0, ${CANDIDATES - 1}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO optimization_proposals (organization_id, job_id, iteration, proposal, status, found_by, parents, candidate_index,
                                        components, texts, minibatch)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, 0, 'accepted', 'reflection', '{0}', n, '{instructions}', '{}', '{0, 1, 2}'
      FROM generate_series(0, ${CANDIDATES - 1}::integer) AS n`.execute(db);
  await sql`
    INSERT INTO optimization_reflections (organization_id, job_id, iteration, proposal, component, paid_by, prompt)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, 0, 'instructions', ${id}::uuid, 'prompt'
      FROM generate_series(0, ${CANDIDATES - 1}::integer) AS n`.execute(db);
  await sql`
    WITH added AS (
      INSERT INTO evaluations (organization_id, id, workspace_id, created_by, name, model, concurrency, request, execution,
                               total_samples, status, item_counts, optimization_job_id, tags)
      SELECT w.organization_id, gen_random_uuid(), w.id, w.created_by, 'e', 'sim/echo', 4, '{}', '{}', 3, 'completed', '{}', ${id}::uuid,
             ARRAY[n::text]
        FROM workspaces AS w, generate_series(0, ${CANDIDATES - 1}::integer) AS n
       WHERE w.organization_id = ${organizationId} AND w.id = ${workspace}
      RETURNING id, tags[1]::integer AS n)
    INSERT INTO optimization_batches (organization_id, job_id, iteration, proposal, purpose, split, candidate_sha256, positions, evaluation_id, is_inherited)
    SELECT ${organizationId}::uuid, ${id}::uuid, n, 0, 'validation', 'train', '', '{0, 1, 2}', id, false FROM added`.execute(
    db,
  );
}

const TABLES = [
  'evaluations',
  'optimization_jobs',
  'optimization_candidates',
  'optimization_proposals',
  'optimization_reflections',
  'optimization_batches',
];
const analyze = () => sql`ANALYZE ${sql.join(TABLES.map((name) => sql.table(name)))}`.execute(db);

const works = [
  (on: typeof db) => listJobs(on, place, { page: 1, page_size: 20 }),
  (on: typeof db) => getJob(on, place, own),
  (on: typeof db) => listCandidates(on, place, own, { page: 1, page_size: 20 }),
  (on: typeof db) => listProposals(on, place, own, { page: 1, page_size: 20 }),
];

beforeAll(async () => {
  await sql`
    INSERT INTO workspaces
    SELECT (jsonb_populate_record(w, jsonb_build_object('id', ${otherWorkspaceId}::text, 'key', 'other', 'is_default', false))).*
      FROM workspaces AS w WHERE organization_id = ${organizationId} AND id = ${workspaceId}`.execute(db);
  for (let other = 0; other < OTHERS; other++) await add(other === OTHERS / 2 ? own : uuidv7());
  await analyze();
});

test('lists of a job read by indexes', async () => {
  for (const work of works) {
    const all = (await explainWork({ db, url }, work)).join('\n');
    expect(all).not.toMatch(/Seq Scan on (optimization|evaluations)/);
  }
});

test('reads of a job take as many blocks when others have more', async () => {
  const count = () => Promise.all(works.map((work) => countBlocks({ db, url }, work)));
  const before = await count();
  for (let other = 0; other < 3 * OTHERS; other++) await add(uuidv7());
  await analyze();
  for (const [index, blocks] of (await count()).entries())
    expect(blocks).toBeLessThanOrEqual((before[index] ?? 0) * 1.5 + 20);
});

test('listEvaluations does not read the evaluations of jobs', async () => {
  const query = { page: 1, page_size: 20, sort_by: 'created_at', sort_dir: 'desc' } as const;
  const work = (on: typeof db) => listEvaluations(on, place as never, query);
  const blocks = await countBlocks({ db, url }, work);
  expect(blocks).toBeLessThan(50);
});
