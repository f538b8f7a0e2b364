import { workspaceRoutes } from '../../platform/http/operations.ts';
import { QUERY_BYTES } from '../query/schema.ts';
import { ExportJobResponse, ExportListResponse, ExportParams, ExportRequest, exportQuery } from './schema.ts';
import { cancelExport, createExport, type ExportStore, getExport, listExports } from './store.ts';

export function exportJobRoutes(store: ExportStore) {
  return workspaceRoutes('SQL', (on) => {
    on.post(
      '/exports',
      {
        id: 'createExport',
        summary: 'Export the rows of a query',
        description:
          'As one file in Parquet, made in the background of the rows that you may see when that begins. Ask for it ' +
          'until it is `completed`: its link is then good for 24 hours. Only you see it.',
        scope: 'exports:write',
        role: 'contributor',
        body: ExportRequest,
        largeBody: { maxBytes: QUERY_BYTES },
        response: ExportJobResponse,
        status: 201,
        watched: true,
      },
      ({ scope, body, signal }) => createExport(store, scope, body, signal),
    );

    on.get(
      '/exports',
      {
        id: 'listExports',
        summary: 'List your exports',
        description: 'Newest first.',
        scope: 'exports:read',
        role: 'reader',
        query: exportQuery,
        response: ExportListResponse,
      },
      ({ scope, query }) => listExports(store, scope, query),
    );

    on.get(
      '/exports/:export_id',
      {
        id: 'getExport',
        summary: 'Get an export',
        description: 'With a link to its file, where there is one.',
        scope: 'exports:read',
        role: 'reader',
        params: ExportParams,
        response: ExportJobResponse,
      },
      ({ scope, params }) => getExport(store, scope, params.export_id),
    );

    on.post(
      '/exports/:export_id/cancel',
      {
        id: 'cancelExport',
        summary: 'Cancel an export',
        description:
          'One that waits is `cancelled` at once, one that runs within seconds. One that has ended: 409.',
        scope: 'exports:write',
        role: 'contributor',
        params: ExportParams,
        response: ExportJobResponse,
      },
      ({ scope, params }) => cancelExport(store, scope, params.export_id),
    );
  });
}
