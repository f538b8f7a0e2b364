/** Identifies a database: a copy has the same rows but is another database. */

/** Runs a query on a given connection or on one from the pool. */
export type Ask = (statement: string) => Promise<{ readonly rows: readonly unknown[] }>;

/**
 * Identifies the cluster and the database in it, by values that never change. If the role may not read the identifier of the cluster, the
 * address of the server is used instead.
 */
export async function identifyDatabase(ask: Ask): Promise<string> {
  const mayAsk = await askOne(
    ask,
    "SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') AS value",
  );
  const cluster = mayAsk
    ? "'cluster ' || (SELECT system_identifier FROM pg_catalog.pg_control_system())"
    : "'server ' || coalesce(host(inet_server_addr()), 'here') || ', name ' || current_database()";
  const identity = await askOne(
    ask,
    `SELECT ${cluster} || ', database ' || oid AS value FROM pg_database WHERE datname = current_database()`,
  );
  return String(identity);
}

async function askOne(ask: Ask, statement: string): Promise<unknown> {
  const { rows } = await ask(statement);
  return (rows[0] as { readonly value: unknown } | undefined)?.value;
}
