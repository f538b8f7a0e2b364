/** Computes the expected list of artifacts by a full scan of the model. */
import { type Kind, PLURALS } from '../src/registry/kinds.ts';
import type { KnownArtifact, KnownVersion } from './artifact-world.ts';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Asked {
  readonly orgKey: string;
  readonly userId: string;
  readonly kind: Kind;
  readonly query: Query;
}

interface Paging {
  readonly sort_by?: string;
  readonly sort_dir?: string;
  readonly page?: number;
  readonly limit?: number;
}

export function expectedList(world: readonly KnownArtifact[], { orgKey, userId, kind, query }: Asked) {
  const { sort_by = 'created_at', sort_dir = 'desc', page = 1, limit = 50 } = query as Paging;
  const rows = world
    .filter((artifact) => artifact.kind === kind && liveOf(artifact).length > 0)
    .filter((artifact) => artifact.orgKey === orgKey || (query.include_public === true && artifact.isPublic))
    .map((artifact) => ({ artifact, latest: latestOf(artifact) }))
    .filter(({ artifact, latest }) =>
      Object.entries(query).every(([name, value]) => doesMatch(name, value, artifact, latest, userId)),
    )
    .toSorted((a, b) => {
      const order = compare(sortKeyOf(sort_by, a), sortKeyOf(sort_by, b));
      return (sort_dir === 'desc' ? -order : order) || compare(a.latest.id, b.latest.id);
    });
  const pages = Math.ceil(rows.length / limit);
  return {
    [PLURALS[kind]]: rows.slice((page - 1) * limit, page * limit).map((row) => toItem(kind, row)),
    total: rows.length,
    page,
    limit,
    total_pages: pages,
    has_next: page < pages,
    has_previous: page > 1 && rows.length > 0,
  };
}

const liveOf = ({ versions }: KnownArtifact) => versions.filter(({ isDeleted }) => !isDeleted);

function latestOf(artifact: KnownArtifact): KnownVersion {
  const live = liveOf(artifact);
  return (live.findLast(({ version }) => !version.includes('-')) ?? live.at(-1)) as KnownVersion;
}

const canonical = ({ orgKey, name }: KnownArtifact) => `${orgKey}/${name}`;

function doesMatch(
  parameter: string,
  value: Query[string],
  artifact: KnownArtifact,
  { listing }: KnownVersion,
  userId: string,
): boolean {
  const text = String(value);
  const list = Array.isArray(value) ? (value as readonly (string | null)[]) : [];
  switch (parameter) {
    case 'name':
      return text === artifact.name || text === canonical(artifact);
    case 'search': {
      const wanted = text.toLowerCase();
      const texts = [canonical(artifact), (listing.summary ?? '').toLowerCase()];
      return text.trim() === '' || texts.some((one) => one.includes(wanted));
    }
    case 'mine':
      return !value || artifact.createdBy === userId;
    case 'tags':
    case 'task_categories':
      return listing[parameter]?.some((one) => list.includes(one)) ?? false;
    case 'framework':
      return list.includes(listing.framework ?? 'safetensors');
    case 'license':
    case 'size_category':
    case 'difficulty':
    case 'source':
      return list.includes(listing[parameter]);
    default:
      return true;
  }
}

interface Row {
  readonly artifact: KnownArtifact;
  readonly latest: KnownVersion;
}

function sortKeyOf(sortBy: string, { artifact, latest }: Row): string | number {
  if (sortBy === 'name') return canonical(artifact);
  if (sortBy === 'updated_at') return artifact.updatedAt;
  return sortBy === 'created_at' ? latest.createdAt : latest.fileSizeBytes;
}

const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

function toItem(kind: Kind, { artifact, latest }: Row) {
  const { listing, manifest, details } = latest;
  return {
    id: latest.id,
    name: canonical(artifact),
    version: latest.version,
    summary: listing.summary,
    tags: listing.tags,
    created_at: latest.createdAt,
    updated_at: artifact.updatedAt,
    download_count: latest.downloadCount,
    is_public: artifact.isPublic,
    version_count: liveOf(artifact).length,
    ...{
      dataset: () => ({
        license: listing.license,
        task_categories: listing.task_categories,
        row_count: details.row_count ?? null,
        file_size_bytes: latest.fileSizeBytes,
      }),
      model: () => ({
        license: listing.license,
        task_categories: listing.task_categories,
        size_category: listing.size_category,
        framework: listing.framework ?? 'safetensors',
        origin: manifest.origin ?? {},
        architecture: manifest.architecture ?? null,
        language: manifest.language ?? null,
        base_model: null,
        pretty_name: null,
        task: null,
        aliases: artifact.aliases,
      }),
      task: () => ({
        difficulty: listing.difficulty,
        source: listing.source,
        verification_method: details.verification_method ?? null,
        has_solution: details.has_solution ?? false,
        timeout_seconds: details.timeout_seconds ?? null,
        file_size_bytes: latest.fileSizeBytes,
      }),
      capability: () => ({
        license: listing.license,
        component_counts: details.component_counts ?? {},
        flags: details.flags ?? {},
        file_size_bytes: latest.fileSizeBytes,
      }),
    }[kind](),
  };
}
