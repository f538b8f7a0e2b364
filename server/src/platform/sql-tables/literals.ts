/**
 * Writes values into statements, since COPY takes no parameters. This is the only place where a value becomes part of a statement's text.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';

/** Throws for values that cannot be written, which is a bug: callers with external values check `isWritable` first. */
export function toLiteral(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (!isWritable(value)) throw new TypeError(`Cannot be written into a statement: ${typeof value}`);
  const doubled = value.replaceAll("'", "''");
  // In E'' a backslash has the same meaning for any standard_conforming_strings; a text without one has the same meaning in ''.
  return value.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** A lone surrogate has no UTF-8 encoding, and PostgreSQL does not support NUL: no stored text has either. */
export const isWritable = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

class LiteralCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    this.append(toLiteral(value));
  }
}

/** Not connected: it only compiles statements. */
const writer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new LiteralCompiler(),
  },
});

export const writeOut = (statement: RawBuilder<unknown>): string => statement.compile(writer).sql;
