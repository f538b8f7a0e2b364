import { workspaceRoutes } from '../../platform/http/operations.ts';
import { answerQuery, type QueryOptions } from './answer.ts';
import { describeTables } from './describe.ts';
import { QUERY_BYTES, QueryRequest, QueryResponse, QuerySchema } from './schema.ts';

export function queryRoutes(options: QueryOptions) {
  return workspaceRoutes('SQL', (on) => {
    on.post(
      '/query',
      {
        id: 'queryWorkspace',
        summary: 'Ask a question in SQL',
        description:
          'Over the rows that you may see, within 30 s. What takes longer, or holds more rows, is for an export. ' +
          'At most two at once for an organization; others wait, and are answered 429 when that is long.',
        scope: 'exports:read',
        role: 'reader',
        body: QueryRequest,
        largeBody: { maxBytes: QUERY_BYTES },
        answer: QueryResponse,
        returns: { text: 'application/json; charset=utf-8' },
        watched: true,
        idempotency: false,
      },
      ({ scope, body, signal }) => answerQuery(options, scope, body, signal),
    );

    on.get(
      '/query/schema',
      {
        id: 'getQuerySchema',
        summary: 'Get the tables that can be asked about',
        description: 'With their columns, what these mean, and what SQL is understood.',
        scope: 'exports:read',
        role: 'reader',
        answer: QuerySchema,
      },
      () => describeTables(options.sql),
    );
  });
}
