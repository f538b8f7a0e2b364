/** Finds one version of an artifact that the caller may see: the first step of every operation on a version. */
import { type RawBuilder, sql } from 'kysely';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import type { Listing } from '../draft.ts';
import { type Kind, titleOf } from '../kinds.ts';
import { type ArtifactPlace, parsePlace } from '../references.ts';
import { isVersion, precedenceOf } from '../version.ts';
import { isVisible, type Viewer } from '../visibility.ts';

export type VersionViewer = Viewer & Pick<OrgScope, 'organizationKey'>;

export interface FoundVersion {
  readonly organization_id: string;
  readonly org_key: string;
  readonly artifact_id: string;
  readonly id: string;
  /** Name without the organization. */
  readonly name: string;
  readonly version: string;
  readonly is_public: boolean;
  /** Id of the user who published the first version of the artifact. */
  readonly created_by: string;
  readonly version_created_by: string;
  readonly version_count: number;
  readonly latest_id: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly details: Readonly<Record<string, unknown>> & { readonly listing: Listing };
  /** Hexadecimal. */
  readonly digest: string;
  readonly file_count: number;
  readonly file_size_bytes: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * @param place `name` or `org/name`
 * @param version a version, which may differ in its build metadata, or an alias of a model; undefined for the latest
 */
export async function findVersion(
  db: Db,
  viewer: VersionViewer,
  kind: Kind,
  place: string,
  version: string | undefined,
): Promise<FoundVersion | undefined> {
  const parsed = parsePlace(place);
  const condition = conditionFor(kind, version);
  if (!parsed || !condition || !isAskedHere(viewer, parsed)) return undefined;
  const { rows } = await sql<FoundVersion>`
    SELECT a.organization_id, o.key AS org_key, a.id AS artifact_id, v.id, a.name, v.version, a.is_public, a.created_by,
           v.created_by AS version_created_by, a.version_count, a.latest_id, v.manifest, v.details,
           encode(v.digest, 'hex') AS digest, v.file_count, v.file_size_bytes, v.created_at, a.updated_at
      FROM organizations AS o
     CROSS JOIN LATERAL (
       SELECT a.organization_id, a.id, a.name, a.is_public, a.created_by, a.version_count, a.latest_id, a.updated_at
         FROM artifacts AS a WHERE a.organization_id = o.id AND a.kind = ${kind} AND a.name = ${parsed.name} LIMIT 1
     ) AS a
      JOIN artifact_versions AS v
        ON v.organization_id = a.organization_id AND v.artifact_id = a.id AND v.deleted_at IS NULL AND ${condition}
     WHERE ${isOwner(viewer, parsed)} AND ${isVisible(viewer, 'a')}
  `.execute(db);
  return rows[0];
}

/** The same response for private and unknown artifacts and for unknown organizations. */
export async function getFoundVersion(
  db: Db,
  viewer: VersionViewer,
  kind: Kind,
  place: string,
  version: string | undefined,
): Promise<FoundVersion> {
  const found = await findVersion(db, viewer, kind, place, version);
  if (!found) throw noVersion(kind, place, version);
  return found;
}

export const noVersion = (kind: Kind, place: string, version: string | undefined) =>
  notFound(`${titleOf(kind)} "${version === undefined ? place : `${place}@${version}`}"`);

/** Public artifacts of others are only visible through an organization's path to its members. */
const isAskedHere = ({ role, organizationKey }: VersionViewer, { owner }: ArtifactPlace) =>
  role !== null || owner === undefined || owner === organizationKey;

const isOwner = (viewer: VersionViewer, { owner }: ArtifactPlace) =>
  owner === undefined || owner === viewer.organizationKey
    ? sql`o.id = ${viewer.organizationId}`
    : sql`o.key = ${owner} AND o.is_active`;

function conditionFor(kind: Kind, version: string | undefined): RawBuilder<boolean> | undefined {
  if (version === undefined) return sql`v.id = a.latest_id`;
  if (isVersion(version)) return sql`v.precedence = ${precedenceOf(version)}`;
  if (kind !== 'model') return undefined;
  return sql`v.id = (
    SELECT l.version_id FROM artifact_aliases AS l
     WHERE l.organization_id = a.organization_id AND l.artifact_id = a.id AND l.alias = ${version})`;
}
