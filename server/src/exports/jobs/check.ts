/** Validates a query before a job is created for it. */
import { BoundError } from '../../platform/analytics/data-file.ts';
import type { LocalFiles } from '../../platform/analytics/local-files.ts';
import { checkQuery, SqlError } from '../../platform/analytics/sql-query.ts';
import { invalidValue } from '../../platform/errors.ts';
import type { SqlTables } from '../asking.ts';

const CHECK_MS = 10_000;
/** Longer than the previous check may take. */
const MAX_WAIT_MS = 15_000;

export async function requireSelect(
  { work, turns }: Pick<LocalFiles, 'work' | 'turns'>,
  { tables }: SqlTables,
  { query, owner, signal }: { readonly query: string; readonly owner: string; readonly signal: AbortSignal },
): Promise<void> {
  const question = { work, query, tables, bounds: { timeoutMs: CHECK_MS }, signal };
  try {
    await turns.check.take({ owner, signal, maxWaitMs: MAX_WAIT_MS }, () => checkQuery(question));
  } catch (error) {
    if (error instanceof SqlError) throw invalidValue(['body', 'query'], error.message, 'invalid_sql');
    if (error instanceof BoundError) throw invalidValue(['body', 'query'], error.message, 'too_costly');
    throw error;
  }
}
