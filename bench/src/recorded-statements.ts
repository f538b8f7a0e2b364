/** Records the statements of some work, with their values. */
import type { Db } from '@drydock/server/src/platform/db/connect.ts';
import type { Statement } from './list-plans.ts';

type Plugin = Parameters<Db['withPlugin']>[0];

export async function recordStatements(db: Db, work: (db: Db) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const recorder: Plugin = {
    transformQuery: ({ node, queryId }) => {
      statements.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  await work(db.withPlugin(recorder));
  return statements;
}
