/**
 * Results of an evaluation by source. A source is one task or one row of a dataset; its samples are the repetitions. Results by task,
 * tag and difficulty are sums over sources.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { TaskResultOf } from '../schema.ts';
import { type Cluster, passRateInterval } from './statistics.ts';

export interface SourceResults {
  /** null for a row of a dataset. */
  readonly task_name: string | null;
  readonly tags: readonly string[] | null;
  readonly difficulty: string | null;
  readonly is_contaminated: boolean;
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly score_sum: number;
  readonly scored: number;
}

type Results = Omit<TaskResultOf, 'task_name'>;

/** Selects items `i` that count in rates: an infrastructure error and a cancelled sample do not. */
export const HAS_RESULT = sql`i.status IN ('passed', 'failed', 'timed_out')`;

/** Sources come in the order of the request. */
export async function listSources(db: Db, { organizationId, id }: JobRef): Promise<SourceResults[]> {
  const { rows } = await sql<SourceResults>`
    SELECT i.source_position, i.total, i.passed, i.failed, i.errors, i.score_sum, i.scored, t.task_name, t.tags, t.difficulty,
           coalesce(t.contaminated_by, r.contaminated_by) IS NOT NULL AS is_contaminated
      FROM (SELECT i.source_position, bool_and(i.row_index IS NULL) AS is_task, count(*) AS total,
                   count(*) FILTER (WHERE i.status = 'passed') AS passed,
                   count(*) FILTER (WHERE i.status IN ('failed', 'timed_out')) AS failed,
                   count(*) FILTER (WHERE i.status = 'infra_error') AS errors,
                   coalesce(sum(i.score) FILTER (WHERE ${HAS_RESULT}), 0) AS score_sum,
                   count(i.score) FILTER (WHERE ${HAS_RESULT}) AS scored
              FROM evaluation_items AS i
             WHERE i.organization_id = ${organizationId} AND i.evaluation_id = ${id}
             GROUP BY i.source_position) AS i
      LEFT JOIN evaluation_tasks AS t ON t.organization_id = ${organizationId} AND t.evaluation_id = ${id}
                                     AND t.position = i.source_position AND i.is_task
      LEFT JOIN evaluation_rows AS r ON r.organization_id = ${organizationId} AND r.evaluation_id = ${id}
                                    AND r.position = i.source_position AND NOT i.is_task
     ORDER BY i.source_position`.execute(db);
  return rows;
}

export const toTaskResults = (sources: readonly SourceResults[]): TaskResultOf[] =>
  sumByKey(sources, (source) => [source.task_name]).map(([task_name, results]) =>
    Object.assign({ task_name }, results),
  );

/** Groups come in the order of their first source. A source without a key is in no group; one with several is in each of them. */
export function sumByKey(
  sources: readonly SourceResults[],
  keysOf: (source: SourceResults) => readonly (string | null)[],
): (readonly [key: string, results: Results])[] {
  const groups = new Map<string, SourceResults[]>();
  for (const source of sources)
    for (const key of new Set(keysOf(source))) {
      if (key === null) continue;
      const group = groups.get(key);
      if (group) group.push(source);
      else groups.set(key, [source]);
    }
  return [...groups].map(([key, group]) => [key, sumResults(group)] as const);
}

export const toClusters = (sources: readonly SourceResults[]): Cluster[] =>
  sources.map(({ passed, failed }) => ({ samples: passed + failed, passed }));

export function sumResults(sources: readonly SourceResults[]): Results {
  const sum = (field: 'total' | 'passed' | 'failed' | 'errors' | 'score_sum' | 'scored') =>
    sources.reduce((total, source) => total + source[field], 0);
  const [passed, failed, scored] = [sum('passed'), sum('failed'), sum('scored')];
  return {
    total: sum('total'),
    passed,
    failed,
    errors: sum('errors'),
    pass_rate: passed + failed === 0 ? null : passed / (passed + failed),
    pass_rate_interval: passRateInterval(toClusters(sources)),
    mean_score: scored === 0 ? null : sum('score_sum') / scored,
  };
}
