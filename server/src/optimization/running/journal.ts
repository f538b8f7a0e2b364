/**
 * The stored results that the engine of a job was given: batches, which are evaluations of candidates, and reflections. A worker that
 * takes the job over runs the engine from the start with them, and makes only the calls that are not stored yet.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { JobRef } from '../../platform/jobs/job-kind.ts';
import type { Candidate, EvaluationRequest, ReflectionRequest } from '../../platform/optimizer/ports.ts';
import type { ExampleSplit } from '../stored-job.ts';

export type BatchKey = Pick<EvaluationRequest, 'iteration' | 'proposal'> & {
  readonly purpose: EvaluationRequest['purpose'] | 'holdout';
};

export interface Batch extends BatchKey {
  readonly split: ExampleSplit;
  readonly candidate_sha256: string;
  readonly positions: readonly number[];
  readonly evaluation_id: string;
  /**
   * It was copied from the job that this one retries. Samples of it that have no result are run again once, and a batch that the engine
   * does not ask for in this form any more is replaced.
   */
  readonly is_inherited: boolean;
}

export type ReflectionKey = Pick<ReflectionRequest, 'iteration' | 'proposal' | 'component'>;

export interface StoredReflection extends ReflectionKey {
  /** The job that made the call. */
  readonly paid_by: string;
  readonly prompt: string;
  readonly response: string | null;
  readonly error: string | null;
}

export class Journal {
  readonly #batches: Map<string, Batch>;
  readonly #reflections: Map<string, StoredReflection>;

  private constructor(batches: readonly Batch[], reflections: readonly StoredReflection[]) {
    this.#batches = new Map(batches.map((batch) => [batchName(batch), batch]));
    this.#reflections = new Map(reflections.map((reflection) => [reflectionName(reflection), reflection]));
  }

  static async read(db: Db, { organizationId, id }: JobRef): Promise<Journal> {
    const { rows: batches } = await sql<Batch>`
      SELECT iteration, proposal, purpose, split, candidate_sha256, positions, evaluation_id, is_inherited
        FROM optimization_batches
       WHERE organization_id = ${organizationId} AND job_id = ${id}`.execute(db);
    const { rows: reflections } = await sql<StoredReflection>`
      SELECT iteration, proposal, component, paid_by, prompt, response, error FROM optimization_reflections
       WHERE organization_id = ${organizationId} AND job_id = ${id}`.execute(db);
    return new Journal(batches, reflections);
  }

  findBatch(key: BatchKey): Batch | undefined {
    return this.#batches.get(batchName(key));
  }

  findReflection(key: ReflectionKey): StoredReflection | undefined {
    return this.#reflections.get(reflectionName(key));
  }
}

const batchName = ({ iteration, proposal, purpose }: BatchKey) => `${iteration}/${proposal}/${purpose}`;

const reflectionName = ({ iteration, proposal, component }: ReflectionKey) =>
  `${iteration}/${proposal}/${component}`;

/** Names the texts of a candidate, whatever the order of its components. */
export function hashCandidate(candidate: Candidate): string {
  const entries = Object.entries(candidate).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}

/** Takes the place of an inherited batch that does not fit any more. */
export async function saveBatch(trx: Trx, { organizationId, id }: JobRef, batch: Batch): Promise<void> {
  const values = { ...batch, positions: [...batch.positions] };
  await trx
    .insertInto('optimization_batches')
    .values({ organization_id: organizationId, job_id: id, ...values })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'job_id', 'iteration', 'proposal', 'purpose']).doUpdateSet(values),
    )
    .execute();
}

/** Makes the batch the job's own, like those that it started. */
export async function takeOverBatch(trx: Trx, { organizationId, id }: JobRef, key: BatchKey): Promise<void> {
  const { iteration, proposal, purpose } = key;
  await sql`
    UPDATE optimization_batches SET is_inherited = false
     WHERE organization_id = ${organizationId} AND job_id = ${id}
       AND iteration = ${iteration} AND proposal = ${proposal} AND purpose = ${purpose}`.execute(trx);
}
