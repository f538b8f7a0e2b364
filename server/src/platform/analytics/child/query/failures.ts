/** Classifies an error of DuckDB: a user's mistake, lack of memory, or an internal error. */

import { findNearName } from '../../../near-names.ts';
import type { SqlTableShape } from '../../../sql-tables/sql-table.ts';
import { Mistake, placeOf } from './mistake.ts';
import type { QueryFailure } from './request.ts';

/** A response or file exceeds its size limit. */
export class SizeError extends Error {
  readonly kind: 'target_size' | 'result_size';

  constructor(kind: 'target_size' | 'result_size') {
    super(kind);
    this.kind = kind;
  }
}

interface DuckDbError {
  readonly exception_type: string;
  readonly exception_message: string;
  readonly position?: string;
}

/** Error types about DuckDB itself. Only types are compared, since many messages quote the query and stored data. */
const BROKEN = /^(?:INTERNAL|FATAL)$/i;
const OF_MEMORY = /Out of Memory|allocation fail|failed to allocate|bad_alloc|could not allocate/i;
const BAD_ALLOC = /^(?:std::)?bad_alloc/;
/** Error types about the machine. */
const OURS = /^(?:IO|Serialization|Sequence|Dependency|Transaction|Connection|Network|HTTP|Permission)$/;
/** Prefix of all errors about the rows that we send. */
const OF_ROWS = /^CSV Error on Line: \d+\n/;
const TOO_LONG = /Maximum line size of \d+ bytes exceeded/;
const LONG_ROW =
  'A row that the query needs is longer than 32 MiB. Leave out its longest column, or the row.';
/** Descriptions of a row's fault; the rest of the message contains its values, which must not be logged. */
const FAULTS =
  /CSV Error on Line: \d+|Error when converting column "\w+"|Expected Number of Columns: \d+ Found: \d+|unterminated quote|Invalid unicode/gi;
const NESTED = 'The query is nested too deeply. Simplify it.';

/** @param query null when the query is embedded in another statement, to which DuckDB's positions refer */
export function toFailure(
  error: unknown,
  query: string | null,
  tables: readonly SqlTableShape[] = [],
): QueryFailure {
  if (error instanceof SizeError) return { kind: error.kind };
  if (error instanceof Mistake) return toMistake(error.message, query, error.byte);
  if (error instanceof RangeError) return { kind: 'sql', message: NESTED, position: null };
  const text = error instanceof Error ? error.message : String(error);
  const parsed = findDuckDbError(text);
  if (!parsed) return BAD_ALLOC.test(text) ? { kind: 'memory' } : { kind: 'failure', message: text };
  const { exception_type: type, exception_message: message, position } = parsed;
  if (type === 'Out of Memory' || (BROKEN.test(type) && OF_MEMORY.test(message))) return { kind: 'memory' };
  // Nothing is read during planning.
  if (query === null && OF_ROWS.test(message)) return toFault(type, message);
  if (OURS.test(type)) return { kind: 'failure', message: text };
  if (BROKEN.test(type)) {
    return { kind: 'sql', message: 'DuckDB could not run the query. Simplify it.', position: null };
  }
  const byte = position === undefined ? undefined : Number(position);
  return toMistake(withNearColumn(message, tables), query, byte);
}

function toFault(type: string, message: string): QueryFailure {
  if (TOO_LONG.test(message)) return { kind: 'sql', message: LONG_ROW, position: null };
  return { kind: 'failure', message: [type, ...new Set(message.match(FAULTS))].join('; ') };
}

const lackPattern = /^(?:Values list|Table) ("[^"]*" does not have a column named "([^"]*)")/;

/** DuckDB suggests no alternative for a column that is qualified with its table's name. */
function withNearColumn(message: string, tables: readonly SqlTableShape[]): string {
  const [whole, lack, wanted] = lackPattern.exec(message) ?? [];
  if (whole === undefined || wanted === undefined) return message;
  const near = findNearName(
    wanted,
    new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name))),
  );
  return `Table ${lack}.${near === undefined ? '' : ` Did you mean "${near}"?`}${message.slice(whole.length)}`;
}

/** Keeps DuckDB's message, which also names candidates. */
function toMistake(message: string, query: string | null, byte: number | undefined): QueryFailure {
  const text = message.replaceAll(/\s*\n\s*/g, ' ').trim();
  const isWithin = byte !== undefined && Number.isSafeInteger(byte) && byte >= 0;
  if (!isWithin || query === null) return { kind: 'sql', message: text, position: null };
  const { position, line, column } = placeOf(query, byte);
  return { kind: 'sql', message: `${text} (line ${line}, column ${column})`, position };
}

const kindPattern = /^([A-Z][A-Za-z ]*?) Error: /;

/**
 * Extracts the JSON of `errors_as_json`; sometimes an error type precedes it, which the rest, possibly written by the user, cannot change.
 */
function findDuckDbError(text: string): DuckDbError | undefined {
  const [head, kind] = kindPattern.exec(text) ?? [];
  if (head === undefined || kind === undefined) return parseDuckDbError(text);
  const rest = text.slice(head.length);
  const parsed = parseDuckDbError(rest);
  return parsed?.exception_type === kind ? parsed : { exception_type: kind, exception_message: rest };
}

function parseDuckDbError(text: string): DuckDbError | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<DuckDbError> | null;
    const { exception_type: type, exception_message: message } = parsed ?? {};
    return typeof type === 'string' && typeof message === 'string' ? (parsed as DuckDbError) : undefined;
  } catch {
    return undefined;
  }
}
