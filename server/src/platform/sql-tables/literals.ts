/**
 * Statements whose values are written into them: COPY takes no parameters. This is the only place where a value becomes a part
 * of a statement's text.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';

/** What cannot be written is a mistake of ours: who has values of others asks `isWritable` first. */
export function toLiteral(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (!isWritable(value)) throw new TypeError(`Not to be written into a statement: ${typeof value}`);
  const doubled = value.replaceAll("'", "''");
  // Within E'' a backslash means the same whatever standard_conforming_strings is; a text without one means the same in ''.
  return value.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** Half of a surrogate pair has no bytes in UTF-8, and PostgreSQL knows no NUL: no text that is stored has either. */
export const isWritable = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

class LiteralCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    this.append(toLiteral(value));
  }
}

/** Connected to nothing: it only writes statements. */
const writer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new LiteralCompiler(),
  },
});

export const writeOut = (statement: RawBuilder<unknown>): string => statement.compile(writer).sql;
