/** Checks that an assessment has ended, for reports and evidence. */
import { sql } from 'kysely';
import type { Db } from '../platform/db/connect.ts';
import { ApiError } from '../platform/errors.ts';
import type { JobRef } from '../platform/jobs/job-kind.ts';
import type { RunState } from './schema.ts';
import type { StoredExecution } from './stored-run.ts';

const HOW: Partial<Record<RunState, string>> = {
  pending: 'start it',
  running: 'wait for its end or cancel it',
};

/**
 * @param next what the caller wants to do at its end
 * @throws {ApiError} `conflict_error`
 */
export function requireEnded(status: RunState, next: string): void {
  const how = HOW[status];
  if (how)
    throw new ApiError(
      'conflict_error',
      `The assessment is ${status}; ${how}, and ${next} when it has ended.`,
    );
}

/** @returns null for a run of a client */
export async function readExecution(db: Db, { organizationId, id }: JobRef): Promise<StoredExecution | null> {
  const { rows } = await sql<{ execution: StoredExecution | null }>`
    SELECT execution FROM airt_assessments WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
    db,
  );
  return rows[0]?.execution ?? null;
}
