/** Routes of the registry. */
import type { LocalFiles } from '../platform/analytics/local-files.ts';
import type { RouteGroup } from '../platform/http/operations.ts';
import { artifactOperations } from './artifacts/routes.ts';
import { openBlob } from './blobs.ts';
import { datasetExaminer } from './datasets/examine.ts';
import { datasetRowRoutes } from './datasets/routes.ts';
import { downloadRoutes } from './downloads/routes.ts';
import type { Downloads } from './downloads/store.ts';
import { kindsOfArtifact } from './manifests/kinds-of-artifact.ts';
import { aliasRoutes } from './models/routes.ts';
import { publishRoutes } from './publish/routes.ts';

export interface RegistryOptions extends Downloads {
  readonly local: LocalFiles;
}

export function registryRoutes({ db, storage, local, queue }: RegistryOptions): RouteGroup[] {
  const open = (organizationId: string, sha256: string) => openBlob(db, storage, organizationId, sha256);
  return [
    ...artifactOperations({ db, storage }),
    ...publishRoutes({ db, storage, kinds: kindsOfArtifact(datasetExaminer(local)) }),
    aliasRoutes(db),
    ...downloadRoutes({ db, storage, queue }),
    datasetRowRoutes({ db, ...local, openBlob: open }),
  ];
}
