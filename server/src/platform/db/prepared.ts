/** Statements that are built once, for frequent reads: building costs more than running them. A read whose connection broke is retried. */
import type { CompiledQuery } from 'kysely';
import { type Db, poolOf } from './connect.ts';
import { untilConnected } from './lost-connection.ts';

type Values = Readonly<Record<string, string>>;

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/**
 * @param build builds the statement; `value('name')` is the placeholder of a value
 * @returns a function that runs it with values
 */
export function prepared<V extends Values, Row>(
  build: (db: Db, value: (name: keyof V & string) => string) => Compilable<Row>,
) {
  let compiled: CompiledQuery<Row> | undefined;
  let order: readonly unknown[] = [];
  return async (db: Db, values: V): Promise<Row[]> => {
    if (!compiled) {
      compiled = build(db, (name) => PLACE + name).compile();
      order = compiled.parameters;
    }
    const parameters = order.map((given) => (isPlace(given) ? values[given.slice(PLACE.length)] : given));
    const pool = poolOf(db);
    // Inside a transaction it must run on that connection; outside, it uses the pool directly.
    if (!pool) return (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
    const { sql } = compiled;
    return untilConnected(async () => (await pool.query(sql, parameters)).rows as Row[]);
  };
}

/** No stored text holds a NUL, so no constant of a statement can be mistaken for a placeholder. */
const PLACE = '\0';

const isPlace = (value: unknown): value is string => typeof value === 'string' && value.startsWith(PLACE);
