/** Reads one artifact: its latest or another version, the list of versions, and their files. */
import { sql } from 'kysely';
import { identityOf, type UserIdentityOf } from '../../accounts/service.ts';
import type { Db } from '../../platform/db/connect.ts';
import { notFound } from '../../platform/errors.ts';
import { offsetOf, toPage } from '../../platform/http/responses/pages.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import type { Kind } from '../kinds.ts';
import { type FoundVersion, getFoundVersion, type VersionViewer } from './find-version.ts';
import type { PageQuery } from './schema.ts';
import { pickShown, withDefaults } from './shown-fields.ts';

const LINK_SECONDS = 15 * 60;

/** @param version undefined for the latest */
export async function getVersion(
  db: Db,
  viewer: VersionViewer,
  kind: Kind,
  place: string,
  version: string | undefined,
) {
  const found = await getFoundVersion(db, viewer, kind, place, version);
  const { download_count, created_by_user, alias_versions } = await readBeside(db, found);
  const { listing: _, ...details } = found.details;
  return {
    ...withDefaults(kind, { ...details, ...pickShown(kind, found) }),
    id: found.id,
    name: `${found.org_key}/${found.name}`,
    version: found.version,
    organization_id: found.organization_id,
    org_key: found.org_key,
    is_public: found.is_public,
    version_count: found.version_count,
    download_count,
    aliases: Object.keys(alias_versions).toSorted(),
    alias_versions,
    digest: found.digest,
    manifest: found.manifest,
    file_count: found.file_count,
    file_size_bytes: found.file_size_bytes,
    created_by_user: isMember(viewer, found) ? created_by_user : null,
    created_at: found.created_at,
    updated_at: found.updated_at,
  };
}

/** Email addresses are only for members of the same organization. */
const isMember = ({ role, organizationId }: VersionViewer, found: FoundVersion) =>
  role !== null && organizationId === found.organization_id;

interface Beside {
  readonly download_count: number;
  readonly created_by_user: UserIdentityOf;
  readonly alias_versions: Readonly<Record<string, string>>;
}

async function readBeside(db: Db, found: FoundVersion): Promise<Beside> {
  const { rows } = await sql<Beside>`
    SELECT ${downloadsOf('v')} AS download_count, ${identityOf('u')} AS created_by_user,
           (SELECT coalesce(jsonb_object_agg(l.alias, named.version), '{}')
              FROM artifact_aliases AS l
              JOIN artifact_versions AS named
                ON named.organization_id = l.organization_id AND named.id = l.version_id
             WHERE l.organization_id = v.organization_id AND l.artifact_id = v.artifact_id) AS alias_versions
      FROM artifact_versions AS v
      JOIN users AS u ON u.id = v.created_by
     WHERE v.organization_id = ${found.organization_id} AND v.id = ${found.id}
  `.execute(db);
  const [beside] = rows;
  if (!beside) throw new Error(`version ${found.id} is gone, though rows of versions stay`);
  return beside;
}

/**
 * Sums the downloads that are counted already and those that are not.
 * @param alias of a row of artifact_versions
 */
export function downloadsOf(alias: string) {
  const version = (column: string) => sql.raw(`${alias}.${column}`);
  return sql<number>`${version('download_count')} + (
    SELECT count(*) FROM artifact_downloads AS d
     WHERE d.organization_id = ${version('organization_id')} AND d.version_id = ${version('id')} AND NOT d.is_counted)`;
}

interface ListedVersion {
  readonly id: string;
  readonly version: string;
  readonly summary: string | null;
  readonly digest: string;
  readonly file_count: number;
  readonly file_size_bytes: number;
  readonly download_count: number;
  readonly aliases: string[];
  readonly created_by_user: UserIdentityOf | null;
  readonly created_at: string;
}

/** Lists versions by precedence, newest first. */
export async function listVersions(
  db: Db,
  viewer: VersionViewer,
  kind: Kind,
  place: string,
  query: PageQuery,
) {
  const found = await getFoundVersion(db, viewer, kind, place, undefined);
  const { rows } = await sql<ListedVersion>`
    WITH page AS (
      SELECT v.organization_id, v.id, v.version, v.precedence, v.details -> 'listing' ->> 'summary' AS summary,
             encode(v.digest, 'hex') AS digest, v.file_count, v.file_size_bytes, v.download_count, v.created_by, v.created_at
        FROM artifact_versions AS v
       WHERE v.organization_id = ${found.organization_id} AND v.artifact_id = ${found.artifact_id}
         AND v.deleted_at IS NULL
       ORDER BY v.precedence DESC LIMIT ${query.limit} OFFSET ${offsetOf(query)}
    )
    SELECT p.id, p.version, p.summary, p.digest, p.file_count, p.file_size_bytes, ${downloadsOf('p')} AS download_count,
           ARRAY(SELECT l.alias FROM artifact_aliases AS l
                  WHERE l.organization_id = p.organization_id AND l.version_id = p.id ORDER BY l.alias) AS aliases,
           CASE WHEN ${isMember(viewer, found)} THEN ${identityOf('u')} END AS created_by_user, p.created_at
      FROM page AS p
      JOIN users AS u ON u.id = p.created_by
     ORDER BY p.precedence DESC
  `.execute(db);
  const versions = rows.map(({ version }) => version);
  return { items: rows, versions, ...toPage(found.version_count, query) };
}

export async function listFiles(
  db: Db,
  viewer: VersionViewer,
  kind: Kind,
  place: string,
  version: string,
  query: PageQuery,
) {
  const { organization_id, id } = await getFoundVersion(db, viewer, kind, place, version);
  const all = db
    .selectFrom('artifact_files')
    .where('organization_id', '=', organization_id)
    .where('version_id', '=', id);
  const page = all
    .select(['path', 'size_bytes', sql<string>`encode(sha256, 'hex')`.as('sha256')])
    .orderBy('path')
    .limit(query.limit)
    .offset(offsetOf(query));
  const [files, { total }] = await Promise.all([
    page.execute(),
    all.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { files, ...toPage(total, query) };
}

/** Creates a temporary link to a file of a version. */
export async function linkFile(
  { db, storage }: { readonly db: Db; readonly storage: ObjectStorage },
  viewer: VersionViewer,
  kind: Kind,
  { name, version, path }: { readonly name: string; readonly version: string; readonly path: string },
): Promise<string> {
  const { organization_id, id } = await getFoundVersion(db, viewer, kind, name, version);
  const file = await db
    .selectFrom('artifact_files as f')
    .innerJoin('artifact_blobs as b', (join) =>
      join.onRef('b.organization_id', '=', 'f.organization_id').onRef('b.sha256', '=', 'f.sha256'),
    )
    .select('b.object_key')
    .where('f.organization_id', '=', organization_id)
    .where('f.version_id', '=', id)
    .where('f.path', '=', path)
    .executeTakeFirst();
  if (!file) throw notFound(`File "${path}"`);
  const filename = path.slice(path.lastIndexOf('/') + 1);
  return storage.presignGet(file.object_key, { expiresInSeconds: LINK_SECONDS, filename });
}
