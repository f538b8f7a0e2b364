/** Reads the candidates and proposals of a job, with the reflections that made them and what they cost, and the files of the best one. */
import { sql } from 'kysely';
import { readCapabilityTexts } from '../../evaluations/service.ts';
import { type CapabilityTexts, replaceComponents } from '../../platform/agent/capability-components.ts';
import type { CapabilityFile } from '../../platform/agent/capability-prompt.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { getStoredJob, type StoredRequest } from '../stored-job.ts';
import { listPromotions } from './progress.ts';
import type { CandidateOf, PageOf, ProposalOf } from './schema.ts';
import { getJob, type Place, requireJob } from './store.ts';

/** Characters of a prompt or a response in lists. */
const MAX_SHOWN = 20_000;

/** The reflections of a row `r` with iteration and proposal, as JSON. */
const REFLECTIONS = sql`(
  SELECT coalesce(jsonb_agg(jsonb_build_object('component', f.component,
           'prompt', left(f.prompt, ${MAX_SHOWN}::integer), 'response', left(f.response, ${MAX_SHOWN}::integer),
           'error', f.error, 'session_id', f.session_id, 'cost_usd', f.cost_usd) ORDER BY f.component), '[]')
    FROM optimization_reflections AS f
   WHERE f.organization_id = r.organization_id AND f.job_id = r.job_id
     AND f.iteration = r.iteration AND f.proposal = r.proposal)`;

export async function listCandidates(db: Db, scope: Place, given: string, { page, page_size }: PageOf) {
  const { organizationId } = scope;
  const id = await requireJob(db, scope, given);
  const { rows } = await sql<CandidateOf>`
    SELECT r.index, r.iteration, r.proposal, r.found_by, r.parents, r.texts, r.scores, r.mean_score, r.objectives,
           r.holdout_score, r.is_best AS was_best, r.index = ANY (j.frontier) AS is_on_frontier, r.metric_calls,
           b.evaluation_id, ${REFLECTIONS} AS reflections, r.created_at
      FROM optimization_candidates AS r
      JOIN optimization_jobs AS j ON j.organization_id = r.organization_id AND j.id = r.job_id
      LEFT JOIN optimization_batches AS b ON b.organization_id = r.organization_id AND b.job_id = r.job_id
                                         AND b.iteration = r.iteration AND b.proposal = r.proposal AND b.purpose = 'validation'
     WHERE r.organization_id = ${organizationId} AND r.job_id = ${id}
     ORDER BY r.index LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(db);
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM optimization_candidates
     WHERE organization_id = ${organizationId} AND job_id = ${id}`.execute(db);
  return { items: rows, total: counted[0]?.total ?? 0, page, page_size };
}

/** Decided proposals, and those of the current iteration that have evaluations and no decision: the job is at them, or ended with them. */
const numbersOf = (organizationId: string, id: string) => sql`
  SELECT iteration, proposal FROM optimization_proposals
   WHERE organization_id = ${organizationId} AND job_id = ${id}
  UNION ALL
  SELECT DISTINCT b.iteration, b.proposal FROM optimization_jobs AS j
    JOIN optimization_batches AS b ON b.organization_id = j.organization_id AND b.job_id = j.id AND b.iteration = j.iteration
   WHERE j.organization_id = ${organizationId} AND j.id = ${id} AND j.iteration >= 0
     AND NOT EXISTS (
       SELECT FROM optimization_proposals AS p
        WHERE p.organization_id = b.organization_id AND p.job_id = b.job_id
          AND p.iteration = b.iteration AND p.proposal = b.proposal)`;

export async function listProposals(db: Db, scope: Place, given: string, { page, page_size }: PageOf) {
  const { organizationId } = scope;
  const id = await requireJob(db, scope, given);
  const numbers = numbersOf(organizationId, id);
  const { rows } = await sql<ProposalOf>`
    SELECT r.iteration, r.proposal, coalesce(p.status, 'unfinished') AS status, p.reason,
           coalesce(p.found_by, CASE WHEN m.is_merge THEN 'merge' ELSE 'reflection' END) AS found_by,
           coalesce(p.parents, '{}') AS parents, p.candidate_index, coalesce(p.components, '{}') AS components, p.texts,
           (SELECT jsonb_object_agg(t.key, t.value) FROM jsonb_each(c.texts) AS t WHERE t.key = ANY (p.components)) AS previous_texts,
           coalesce(p.minibatch, '{}') AS minibatch, p.parent_scores, p.child_scores, p.error, ${REFLECTIONS} AS reflections,
           coalesce(m.evaluations, '[]') AS evaluations,
           coalesce(m.cost_usd, 0) + (
             SELECT coalesce(sum(f.cost_usd), 0) FROM optimization_reflections AS f
              WHERE f.organization_id = ${organizationId} AND f.job_id = ${id}
                AND f.iteration = r.iteration AND f.proposal = r.proposal) AS cost_usd,
           p.created_at
      FROM (SELECT ${organizationId}::uuid AS organization_id, ${id}::uuid AS job_id, n.* FROM (${numbers}) AS n
             ORDER BY iteration, proposal LIMIT ${page_size} OFFSET ${(page - 1) * page_size}) AS r
      LEFT JOIN optimization_proposals AS p ON p.organization_id = r.organization_id AND p.job_id = r.job_id
                                           AND p.iteration = r.iteration AND p.proposal = r.proposal
      LEFT JOIN optimization_candidates AS c ON c.organization_id = r.organization_id AND c.job_id = r.job_id AND c.index = p.parents[1]
      CROSS JOIN LATERAL (
        SELECT bool_or(b.purpose = 'merge') AS is_merge, sum(e.cost_usd) AS cost_usd,
               jsonb_agg(jsonb_build_object('purpose', b.purpose, 'evaluation_id', b.evaluation_id, 'positions', b.positions,
                 'status', e.shown_status, 'scored_count', e.scored_count, 'cost_usd', e.cost_usd) ORDER BY e.id) AS evaluations
          FROM optimization_batches AS b
          JOIN evaluations AS e ON e.organization_id = b.organization_id AND e.id = b.evaluation_id
         WHERE b.organization_id = r.organization_id AND b.job_id = r.job_id
           AND b.iteration = r.iteration AND b.proposal = r.proposal) AS m
     ORDER BY r.iteration, r.proposal`.execute(db);
  const { rows: counted } = await sql<{
    total: number;
  }>`SELECT count(*) AS total FROM (${numbers}) AS n`.execute(db);
  return { items: rows, total: counted[0]?.total ?? 0, page, page_size };
}

/** Returns the best candidate of a job as files of the capability. */
export async function getArtifacts(
  store: { readonly db: Db; readonly storage: ObjectStorage },
  scope: Place,
  given: string,
) {
  const { id, summary } = await getJob(store.db, scope, given);
  const ref = { organizationId: scope.organizationId, id };
  const { best_candidate } = summary;
  const { request } = await getStoredJob(store.db, ref);
  const texts = await readCapabilityTexts(store, request.capability);
  const files = best_candidate ? toFiles(texts, request, best_candidate) : [];
  return { artifacts: { best_candidate, files, promoted: await listPromotions(store.db, ref) } };
}

/** @returns no files where those of the capability were deleted */
function toFiles(
  texts: CapabilityTexts,
  { agent_name }: StoredRequest,
  candidate: Readonly<Record<string, string>>,
): CapabilityFile[] {
  const isGone = texts.agents.size === 0 && texts.skills.length === 0 && !texts.prompt;
  return isGone ? [] : replaceComponents(texts, agent_name, candidate);
}
