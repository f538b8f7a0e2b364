/** Reads the metrics of a job. Of a step that was trained twice, the newest attempt counts. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';

export interface Series {
  readonly steps: number[];
  readonly values: number[];
  /** Points that are stored. */
  readonly total: number;
  /** The mean over all points that are stored. */
  readonly mean: number;
}

/** The smallest and the largest value of a span of steps. */
interface SpanRow {
  readonly name: string;
  readonly count: number;
  readonly sum: number;
  readonly low: readonly [value: number, step: number];
  readonly high: readonly [value: number, negatedStep: number];
}

/**
 * Reads the curves of a job with at most `maxPoints` points each. Steps are divided into spans of equal length; of each the smallest and
 * the largest value are kept, so that a spike of a single step stays visible, and the first and the last step of the curve. All points
 * are read once, backward along the primary key, and none is sorted.
 */
export async function readSeries(
  db: Db,
  job: JobRef,
  { names, maxPoints }: { readonly names: readonly string[] | undefined; readonly maxPoints: number },
): Promise<Record<string, Series>> {
  const spans = Math.max(1, Math.floor((maxPoints - 2) / 2));
  const newest = newestPoints(job);
  const { rows } = await sql<SpanRow>`
    WITH RECURSIVE ${namesOf(job, names)}, curves AS (
      SELECT n.name, first.step AS first_step, last.step AS last_step, counted.points <= ${maxPoints} AS is_whole
        FROM names AS n
       CROSS JOIN LATERAL (SELECT step FROM (${newest}) AS p LIMIT 1) AS last
       CROSS JOIN LATERAL (SELECT m.step ${pointsOf(job)} ORDER BY m.step LIMIT 1) AS first
       CROSS JOIN LATERAL (SELECT count(*) AS points FROM (SELECT FROM (${newest}) AS p LIMIT ${maxPoints} + 1) AS p) AS counted
    )
    SELECT n.name, spans.count, spans.sum, spans.low, spans.high
      FROM curves AS n
     CROSS JOIN LATERAL (
       SELECT count(*) AS count, sum(value) AS sum, min(ARRAY[value, step]) AS low, max(ARRAY[value, -step]) AS high
         FROM (${newest}) AS p
        GROUP BY CASE WHEN n.is_whole OR step IN (n.first_step, n.last_step) THEN -step
                      ELSE (step - n.first_step)::bigint * ${spans}::bigint / (n.last_step - n.first_step) + 1 END
     ) AS spans`.execute(db);
  const ofName = Map.groupBy(rows, ({ name }) => name);
  return Object.fromEntries([...ofName].toSorted(byName).map(([name, own]) => [name, toSeries(own)]));
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

function toSeries(rows: readonly SpanRow[]): Series {
  const points = new Map<number, number>();
  for (const { low, high } of rows) points.set(low[1], low[0]).set(-high[1], high[0]);
  const steps = [...points.keys()].toSorted((a, b) => a - b);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const sum = rows.reduce((all, row) => all + row.sum, 0);
  return { steps, values: steps.map((step) => points.get(step) as number), total, mean: sum / total };
}

/** The points `m` of the curve `n.name`. Steps after the job's current step belong to a lost attempt: they are hidden until they are trained again. */
const pointsOf = ({ organizationId, id }: JobRef) => sql`
  FROM training_metrics AS m
 WHERE m.organization_id = ${organizationId} AND m.job_id = ${id} AND m.name = n.name
   AND m.step <= (SELECT j.step FROM training_jobs AS j WHERE j.organization_id = ${organizationId} AND j.id = ${id})`;

/** One point of each step, the last step first: the order in which a backward scan of the primary key finds the newest attempt. */
const newestPoints = (job: JobRef) => sql`
  SELECT DISTINCT ON (m.step) m.step, m.value ${pointsOf(job)} ORDER BY m.step DESC, m.attempt DESC`;

/** The names of curves, for a WITH RECURSIVE. Without a list, each name is found from the one before with one look into the index. */
function namesOf({ organizationId, id }: JobRef, names: readonly string[] | undefined) {
  if (names) return sql`names AS (SELECT name FROM unnest(${[...new Set(names)]}::text[]) AS given (name))`;
  const isJob = sql`m.organization_id = ${organizationId} AND m.job_id = ${id}`;
  return sql`found AS (
      (SELECT m.name FROM training_metrics AS m WHERE ${isJob} ORDER BY m.name LIMIT 1)
      UNION ALL
      SELECT (SELECT m.name FROM training_metrics AS m WHERE ${isJob} AND m.name > f.name ORDER BY m.name LIMIT 1)
        FROM found AS f WHERE f.name IS NOT NULL
    ), names AS (SELECT name FROM found WHERE name IS NOT NULL)`;
}

/** Points of the curves in a job. */
const JOB_POINTS = 500;
/** Curves that share their steps. */
const TRAIN = ['train/loss', 'train/learning_rate', 'train/grad_norm', 'train/tokens_per_second'] as const;

/** Curves and figures as the contract's `metrics` has them: lists of the same length, by the steps of the loss. */
export async function readMetrics(
  db: Db,
  job: JobRef,
): Promise<Record<string, (number | null)[] | number | undefined>> {
  const series = await readSeries(db, job, { names: ['train/loss', 'eval/loss'], maxPoints: JOB_POINTS });
  const loss = series['train/loss'];
  const evaluated = series['eval/loss'];
  const { organizationId, id } = job;
  const { rows } = await sql<{ name: string; step: number; value: number }>`
    SELECT DISTINCT ON (name, step) name, step, value FROM training_metrics
     WHERE organization_id = ${organizationId} AND job_id = ${id} AND name = ANY (${[...TRAIN]}::text[])
       AND step = ANY (${loss?.steps ?? []}::integer[])
     ORDER BY name, step, attempt DESC`.execute(db);
  const values = new Map(rows.map(({ name, step, value }) => [`${name} ${step}`, value]));
  // A metric that a step lacks is null there, so that all lists have the same length.
  const curveOf = (name: string) => (loss?.steps ?? []).map((step) => values.get(`${name} ${step}`) ?? null);
  return {
    ...(loss && {
      'train/loss_last': loss.values.at(-1),
      'train/loss_mean': loss.mean,
      // The smallest value of a curve stays in it, however it is thinned out.
      'train/loss_best': loss.values.reduce((best, value) => Math.min(best, value)),
    }),
    ...Object.fromEntries(TRAIN.map((name) => [name, curveOf(name)])),
    steps: loss?.steps ?? [],
    'eval/loss_history': evaluated?.values ?? [],
    'eval/steps': evaluated?.steps ?? [],
  };
}
