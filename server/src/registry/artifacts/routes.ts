/** Routes of artifacts, the same for every kind. */
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import { artifactRoutes, orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { KINDS, type Kind, PLURALS, titleOf } from '../kinds.ts';
import { deleteVersion } from './delete-version.ts';
import { listArtifacts } from './list.ts';
import { LIST_QUERIES } from './list-query.ts';
import {
  ArtifactFileListResponse,
  ArtifactVersionListResponse,
  DETAILS,
  filePageQuery,
  fileParams,
  LISTS,
  nameParams,
  ownNameParams,
  ownVersionParams,
  UpdateVisibilityRequest,
  UpdateVisibilityResponse,
  versionPageQuery,
  versionParams,
} from './schema.ts';
import { getVersion, linkFile, listFiles, listVersions } from './store.ts';
import { updateVisibility } from './visibility-change.ts';

export interface ArtifactOptions {
  readonly db: Db;
  readonly storage: ObjectStorage;
}

export const artifactOperations = (options: ArtifactOptions): RouteGroup[] =>
  KINDS.flatMap((kind) => [
    forMembers(options, kind),
    forReaders(options, kind),
    forReadersOfVersions(options, kind),
  ]);

const tagOf = (kind: Kind) => titleOf(PLURALS[kind]);

function forMembers({ db }: ArtifactOptions, kind: Kind) {
  const [title, plural] = [titleOf(kind), PLURALS[kind]];
  return orgRoutes(tagOf(kind), (on) => {
    on.get(
      `/${plural}`,
      {
        id: `list${tagOf(kind)}`,
        summary: `List ${plural}`,
        description:
          'One entry for each name: its newest release, or its newest pre-release where there is no release.',
        scope: `${plural}:read`,
        role: 'member',
        query: LIST_QUERIES[kind],
        response: LISTS[kind],
      },
      ({ scope, query }) => listArtifacts(db, scope, kind, query),
    );

    on.delete(
      `/${plural}/:name/:version`,
      {
        id: `delete${title}Version`,
        summary: `Delete a version of a ${kind}`,
        description: 'Its number stays taken. For the user who published the first version, and for admins.',
        scope: `${plural}:write`,
        role: 'member',
        params: ownVersionParams,
      },
      ({ scope, params }) => deleteVersion(db, scope, kind, params.name, params.version),
    );

    on.patch(
      `/${plural}/:name/visibility`,
      {
        id: `update${title}Visibility`,
        organizationWide: true,
        summary: `Make a ${kind} public or private`,
        description:
          'With all of its versions. For the user who published the first version, and for admins.',
        scope: `${plural}:write`,
        role: 'member',
        params: ownNameParams,
        body: UpdateVisibilityRequest,
        response: UpdateVisibilityResponse,
      },
      ({ scope, params, body }) => updateVisibility(db, scope, kind, params.name, body.is_public),
    );
  });
}

function forReaders({ db }: ArtifactOptions, kind: Kind) {
  const [title, plural] = [titleOf(kind), PLURALS[kind]];
  return artifactRoutes(tagOf(kind), (on) => {
    on.get(
      `/${plural}/:name`,
      {
        id: `get${title}`,
        summary: `Get the newest version of a ${kind}`,
        scope: `${plural}:read`,
        params: nameParams,
        response: DETAILS[kind],
      },
      ({ scope, params }) => getVersion(db, scope, kind, params.name, undefined),
    );

    on.get(
      `/${plural}/:name/versions`,
      {
        id: `list${title}Versions`,
        summary: `List the versions of a ${kind}, newest first`,
        scope: `${plural}:read`,
        params: nameParams,
        query: versionPageQuery,
        response: ArtifactVersionListResponse,
      },
      ({ scope, params, query }) => listVersions(db, scope, kind, params.name, query),
    );
  });
}

function forReadersOfVersions({ db, storage }: ArtifactOptions, kind: Kind) {
  const [title, plural] = [titleOf(kind), PLURALS[kind]];
  return artifactRoutes(tagOf(kind), (on) => {
    on.get(
      `/${plural}/:name/:version`,
      {
        id: `get${title}Version`,
        summary: `Get a version of a ${kind}`,
        scope: `${plural}:read`,
        params: versionParams(kind),
        response: DETAILS[kind],
      },
      ({ scope, params }) => getVersion(db, scope, kind, params.name, params.version),
    );

    on.get(
      `/${plural}/:name/:version/files`,
      {
        id: `list${title}Files`,
        summary: `List the files of a version of a ${kind}`,
        scope: `${plural}:read`,
        params: versionParams(kind),
        query: filePageQuery,
        response: ArtifactFileListResponse,
      },
      ({ scope, params, query }) => listFiles(db, scope, kind, params.name, params.version, query),
    );

    on.get(
      `/${plural}/:name/:version/files/*path`,
      {
        id: `get${title}File`,
        summary: `Read a file of a version of a ${kind}`,
        description: 'Leads to a link that is valid for 15 minutes.',
        scope: `${plural}:read`,
        params: fileParams(kind),
        response: z.string(),
        status: 302,
      },
      ({ scope, params }) => linkFile({ db, storage }, scope, kind, params),
    );
  });
}
