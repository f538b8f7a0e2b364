import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { ObjectStorage } from '../../platform/object-storage/object-storage.ts';
import { type FoundVersion, getFoundVersion, noVersion } from '../artifacts/find-version.ts';
import { findBlobs } from '../blobs.ts';
import { splitsOf } from '../datasets/split.ts';
import type { ArtifactFile } from '../draft.ts';
import { type Kind, MANIFEST_FILES } from '../kinds.ts';
import { chooseContent, extensionOf, type Making, toFilename } from './content.ts';
import { type Enqueue, findOrBegin } from './conversions.ts';
import { recordDownload } from './counting.ts';
import type { DownloadRequest, DownloadState } from './schema.ts';

export interface Downloads {
  readonly db: Db;
  readonly storage: ObjectStorage;
  readonly queue: Enqueue;
}

export interface Place {
  readonly name: string;
  readonly version: string;
}

const LINK_SECONDS = 15 * 60;

export async function downloadDataset(
  downloads: Downloads,
  scope: OrgScope,
  { name, version }: Place,
  request: DownloadRequest,
): Promise<DownloadState> {
  const found = await getFoundVersion(downloads.db, scope, 'dataset', name, version);
  const content = chooseContent(splitsOf(found.details), request);
  const wanted = { kind: 'dataset', scope, found, ...request } as const;
  const parts = request.split ? [request.split] : [];
  if (content === 'archive') {
    const files = await listFiles(downloads.db, found);
    return handOut(downloads, { ...wanted, content: toArchive(files), parts });
  }
  return handOut(downloads, { ...wanted, content, parts });
}

/** Returns several files as an archive, or a single file: its manifest has nothing beyond the model's details. */
export async function downloadModel(
  downloads: Downloads,
  scope: OrgScope,
  { name, version }: Place,
): Promise<DownloadState> {
  const found = await getFoundVersion(downloads.db, scope, 'model', name, version);
  const files = await listFiles(downloads.db, found);
  const [only, ...others] = files.filter(({ path }) => path !== MANIFEST_FILES.model);
  const content = only && others.length === 0 ? { stored: only } : toArchive(files);
  return handOut(downloads, { kind: 'model', scope, found, format: 'raw', content, parts: [] });
}

const toArchive = (files: readonly ArtifactFile[]) =>
  ({ making: { format: 'archive', source: { files } } }) as const;

function listFiles(db: Db, found: FoundVersion): Promise<ArtifactFile[]> {
  return db
    .selectFrom('artifact_files')
    .select(({ fn, val, ref }) => [
      'path',
      'size_bytes',
      fn<string>('encode', [ref('sha256'), val('hex')]).as('sha256'),
    ])
    .where('organization_id', '=', found.organization_id)
    .where('version_id', '=', found.id)
    .orderBy('path')
    .execute();
}

interface Wanted {
  readonly kind: Kind;
  readonly scope: OrgScope;
  readonly found: FoundVersion;
  readonly format: DownloadRequest['format'];
  readonly split?: string | null | undefined;
  readonly content: { readonly stored: ArtifactFile } | { readonly making: Making };
  /** Parts of the filename after name and version. */
  readonly parts: readonly string[];
}

async function handOut(downloads: Downloads, wanted: Wanted): Promise<DownloadState> {
  const { found, content } = wanted;
  if ('stored' in content)
    return hand(downloads, wanted, content.stored.sha256, extensionOf(content.stored.path));
  const { db, queue } = downloads;
  const { id, status, result } = await findOrBegin(db, queue, found.organization_id, content.making);
  const { format } = content.making;
  if (result !== null) return hand(downloads, wanted, result, format === 'archive' ? 'tar.gz' : format);
  const reportedStatus = status === 'failed' ? 'failed' : 'preparing';
  return { download_id: id, status: reportedStatus, url: null, filename: null, expires_at: null };
}

/** Counts the download when it returns a link. */
async function hand(
  { db, storage }: Downloads,
  { kind, scope, found, format, split, parts }: Wanted,
  sha256: string,
  extension: string,
): Promise<DownloadState> {
  const blob = (await findBlobs(db, found.organization_id, [sha256])).get(sha256);
  // The version was deleted after the lookup.
  if (!blob) throw noVersion(kind, found.name, found.version);
  const filename = toFilename([found.name, found.version, ...parts], extension);
  // Signatures have a resolution of one second.
  const expires = (Math.floor(Date.now() / 1_000) + LINK_SECONDS) * 1_000;
  const url = await storage.presignGet(blob.object_key, { expiresInSeconds: LINK_SECONDS, filename });
  const download_id = await recordDownload(db, {
    organization_id: found.organization_id,
    version_id: found.id,
    user_id: scope.principal.userId,
    format,
    split: split ?? null,
  });
  return { download_id, status: 'ready', url, filename, expires_at: new Date(expires).toISOString() };
}
