/** Reads the examples of a job. */
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import type { ExampleListQuery, OptimizationExample } from './schema.ts';
import { type Place, requireJob } from './store.ts';

export async function listExamples(db: Db, scope: Place, given: string, query: ExampleListQuery) {
  const { page, page_size, split = null } = query;
  const id = await requireJob(db, scope, given);
  const where = sql`organization_id = ${scope.organizationId} AND job_id = ${id} AND (${split}::text IS NULL OR split = ${split})`;
  const { rows } = await sql<z.output<typeof OptimizationExample>>`
    SELECT split, position, row_index, task_name, task_version,
           left(coalesce(source ->> 'input', source -> 'details' ->> 'instruction', ''), 500) AS input
      FROM optimization_examples WHERE ${where}
     ORDER BY split, position LIMIT ${page_size} OFFSET ${(page - 1) * page_size}`.execute(db);
  const { rows: counted } = await sql<{ total: number }>`
    SELECT count(*) AS total FROM optimization_examples WHERE ${where}`.execute(db);
  return { items: rows, total: counted[0]?.total ?? 0, page, page_size };
}
