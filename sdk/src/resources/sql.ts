/** SQL queries with an immediate result. */
import type { QueryRequest, QueryResponse, QuerySchema } from '../models.gen.ts';
import { type InWorkspace, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const { tables } = await drydock.sql.schema(where);
 * console.log(tables.some(({ name }) => name === 'sessions')); // → true
 *
 * const query = `SELECT key, is_default FROM projects WHERE key = 'default'`;
 * const { columns, rows } = await drydock.sql.query(where, { query });
 * console.log(columns.map(({ name, type }) => `${name} ${type}`).join(', ')); // → key VARCHAR, is_default BOOLEAN
 * console.log(rows); // → [ [ 'default', true ] ]
 * ```
 */
export class Sql extends Resource {
  /**
   * Runs one SELECT over the rows that you may see, within 30 s. The server sends numbers with all their digits, and `JSON.parse` rounds
   * those beyond 2^53.
   */
  query(where: InWorkspace, request: QueryRequest, options?: CallOptions): Promise<QueryResponse> {
    return this.client.call('queryWorkspace', { path: where, body: request }, options);
  }

  /** Describes the available tables and columns. */
  schema(where: InWorkspace, options?: CallOptions): Promise<QuerySchema> {
    return this.client.call('getQuerySchema', { path: where }, options);
  }
}
