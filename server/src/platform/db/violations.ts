/** Broken constraints in the words of the API, by the constraint's name. */
import pg from 'pg';
import { ApiError } from '../http/errors.ts';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Runs a write; when it breaks one of the named constraints, throws what stands for that one. */
export async function explainViolation<T>(
  write: Promise<T>,
  errors: Record<string, () => ApiError>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const isViolation =
      error instanceof pg.DatabaseError &&
      (error.code === UNIQUE_VIOLATION || error.code === FOREIGN_KEY_VIOLATION);
    const explain = isViolation && error.constraint ? errors[error.constraint] : undefined;
    throw explain?.() ?? error;
  }
}

export const alreadyExists = (detail: string) => () => new ApiError('already_exists_error', detail);
