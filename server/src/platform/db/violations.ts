/** Translates constraint violations into API errors, by the constraint's name. */
import pg from 'pg';
import { ApiError } from '../errors.ts';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Runs a write; when it breaks one of the named constraints, throws the error given for that constraint. */
export async function explainViolation<T>(
  write: Promise<T>,
  errors: Record<string, () => ApiError>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const constraint = findViolated(error);
    throw (constraint && errors[constraint]?.()) || error;
  }
}

/** Returns the constraint that a failed write has broken. */
export function findViolated(error: unknown): string | undefined {
  const isViolation =
    error instanceof pg.DatabaseError &&
    (error.code === UNIQUE_VIOLATION || error.code === FOREIGN_KEY_VIOLATION);
  return isViolation ? error.constraint : undefined;
}

export const alreadyExists = (detail: string) => () => new ApiError('already_exists_error', detail);
