import pg from 'pg';
import { ApiError } from '../http/errors.ts';

const UNIQUE_VIOLATION = '23505';

/** Runs a write and says `already_exists_error` with the given text when it hits that unique constraint. */
export async function unique<T>(write: Promise<T>, textByConstraint: Record<string, string>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const constraint = violatedConstraint(error);
    const detail = constraint && textByConstraint[constraint];
    throw detail ? new ApiError('already_exists_error', detail, { cause: error }) : error;
  }
}

function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION ? error.constraint : undefined;
}
