import { artifactRoutes } from '../../platform/http/operations.ts';
import { versionParams } from '../artifacts/schema.ts';
import { DatasetDownloadRequest, DatasetDownloadResponse } from './schema.ts';
import { type Downloads, downloadDataset, downloadModel } from './store.ts';

const RAW = { format: 'raw' } as const;

export function downloadRoutes(downloads: Downloads) {
  return [
    artifactRoutes('Datasets', (on) => {
      on.post(
        '/datasets/:name/:version/download',
        {
          id: 'downloadDataset',
          summary: 'Download a dataset',
          description:
            'Responds with a link that is valid for 15 minutes. What has to be converted or packed first is `preparing`: ' +
            'poll until it is `ready`.',
          scope: 'datasets:read',
          params: versionParams('dataset'),
          body: DatasetDownloadRequest.optional(),
          response: DatasetDownloadResponse,
          idempotency: false,
        },
        ({ scope, params, body = RAW }) => downloadDataset(downloads, scope, params, body),
      );
    }),
    artifactRoutes('Models', (on) => {
      on.post(
        '/models/:name/:version/download',
        {
          id: 'downloadModel',
          summary: 'Download a model',
          description:
            'Its only file, or all of them with the manifest as a tar.gz. While that is packed the response is `preparing`: ' +
            'poll until it is `ready`.',
          scope: 'models:read',
          params: versionParams('model'),
          response: DatasetDownloadResponse,
          idempotency: false,
        },
        ({ scope, params }) => downloadModel(downloads, scope, params),
      );
    }),
  ];
}
