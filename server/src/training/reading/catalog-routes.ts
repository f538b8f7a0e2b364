import type { Db } from '../../platform/db/connect.ts';
import { userRoutes, workspaceRoutes } from '../../platform/http/operations.ts';
import { getBackends, getCatalog, type LocalTrainer } from './backends.ts';
import { CatalogQuery, TrainingBackendsResponse, TrainingCatalogResponse } from './schema.ts';

const MAY_READ = { scope: 'training:read', role: 'reader' } as const;

export interface CatalogOptions {
  readonly db: Db;
  readonly localTrainer: () => LocalTrainer;
  /** The name of a backend that clients of this server expect. */
  readonly showBackend: (backend: string) => string;
}

/** What can train here, and what can be trained. */
export function catalogRoutes({ db, localTrainer, showBackend }: CatalogOptions) {
  return [
    workspaceRoutes('Training', (on) => {
      on.get(
        '/training/backends',
        {
          id: 'getTrainingBackends',
          summary: 'See which trainers there are, and how to start one',
          ...MAY_READ,
          response: TrainingBackendsResponse,
        },
        ({ scope }) => getBackends(db, scope, localTrainer(), showBackend),
      );

      on.get(
        '/training/catalog',
        {
          id: 'listWorkspaceTrainableModels',
          summary: 'List models of the organization that can be trained',
          ...MAY_READ,
          query: CatalogQuery,
          response: TrainingCatalogResponse,
        },
        ({ scope, query }) =>
          getCatalog(db, scope.principal, { ...query, showBackend, organizationId: scope.organizationId }),
      );
    }),
    userRoutes('Training', (on) => {
      on.get(
        '/training/catalog',
        {
          id: 'listTrainableModels',
          summary: 'List models that can be trained',
          scope: 'training:read',
          query: CatalogQuery,
          response: TrainingCatalogResponse,
        },
        ({ scope, query }) => getCatalog(db, scope.principal, { ...query, showBackend }),
      );
    }),
  ];
}
