/** Which database this is: a copy of it holds the same rows, and is another. */

/** Of a connection, or of one that the pool lends. */
export type Ask = (statement: string) => Promise<{ readonly rows: readonly unknown[] }>;

/**
 * The cluster and the database in it, as one text that both keep for as long as they live. Where the role may not ask
 * which cluster it is, the address of the server stands for it.
 */
export async function identifyDatabase(ask: Ask): Promise<string> {
  const mayAsk = await askOne(
    ask,
    "SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE') AS answer",
  );
  const cluster = mayAsk
    ? "'cluster ' || (SELECT system_identifier FROM pg_catalog.pg_control_system())"
    : "'server ' || coalesce(host(inet_server_addr()), 'here') || ', name ' || current_database()";
  const identity = await askOne(
    ask,
    `SELECT ${cluster} || ', database ' || oid AS answer FROM pg_database WHERE datname = current_database()`,
  );
  return String(identity);
}

async function askOne(ask: Ask, statement: string): Promise<unknown> {
  const { rows } = await ask(statement);
  return (rows[0] as { readonly answer: unknown } | undefined)?.answer;
}
