import { artifactRoutes } from '../../platform/http/operations.ts';
import { versionParams } from '../artifacts/schema.ts';
import { listRows, type RowOptions } from './rows.ts';
import { DatasetRowsResponse, rowsQuery } from './schema.ts';

export function datasetRowRoutes(options: RowOptions) {
  return artifactRoutes('Datasets', (on) => {
    on.get(
      '/datasets/:name/:version/rows',
      {
        id: 'listDatasetRows',
        summary: 'List rows of a dataset',
        description: 'In the order of the file.',
        scope: 'datasets:read',
        params: versionParams('dataset'),
        query: rowsQuery,
        response: DatasetRowsResponse,
        returns: { text: 'application/json; charset=utf-8' },
        watched: true,
      },
      ({ scope, params, query, signal }) => listRows(options, scope, params, query, signal),
    );
  });
}
