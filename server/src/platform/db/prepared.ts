/**
 * Statements that are built once, for the reads that are asked all the time: building costs more than asking. A read whose
 * connection broke is asked again.
 */
import type { CompiledQuery } from 'kysely';
import { type Db, poolOf } from './connect.ts';
import { untilConnected } from './lost-connection.ts';

type Values = Readonly<Record<string, string>>;

interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/**
 * @param build makes the statement; `value('name')` stands where the value of that name will be
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
    // Inside a transaction it must run on that connection; outside, the pool's shortest way will do.
    if (!pool) return (await db.executeQuery<Row>({ ...compiled, parameters })).rows;
    const { sql } = compiled;
    return untilConnected(async () => (await pool.query(sql, parameters)).rows as Row[]);
  };
}

/** No stored text holds a NUL, so no constant of a statement can be taken for a place. */
const PLACE = '\0';

const isPlace = (value: unknown): value is string => typeof value === 'string' && value.startsWith(PLACE);
