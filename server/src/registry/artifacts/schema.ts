/** Request and response schemas of artifacts: the fields of all kinds, and those of each kind. */
import { z } from 'zod';
import { UserIdentity } from '../../accounts/service.ts';
import { Id, Timestamp } from '../../platform/fields.ts';
import { pageOf, pageQuery } from '../../platform/http/responses/pages.ts';
import { VersionOrAlias } from '../alias.ts';
import type { Kind } from '../kinds.ts';
import { SemVer } from '../version.ts';

const text = z.string().nullable();
const texts = z.array(z.string()).nullable();
const count = z.int().nullable();

/** Fields of every kind, in lists and details; all but the last two lines describe the version shown. */
const shared = {
  id: Id.describe('Of this version'),
  name: z.string().describe('With the key of its organization: `org/name`'),
  version: z.string(),
  summary: text,
  tags: texts,
  created_at: Timestamp,
  download_count: z.int(),
  is_public: z.boolean(),
  updated_at: Timestamp.describe('When a version, an alias or the visibility last changed'),
  version_count: z.int(),
};

const fileSizeBytes = z.int().describe('Sum of all files, unpacked');

const DatasetSummary = z
  .object({
    ...shared,
    license: text,
    task_categories: texts,
    row_count: count.describe('Of all splits'),
    file_size_bytes: fileSizeBytes,
  })
  .meta({ id: 'DatasetSummary' });

const ModelArtifactSummary = z
  .object({
    ...shared,
    framework: z.string(),
    origin: z.record(z.string(), z.unknown()),
    aliases: z.array(z.string()).describe('Of all versions'),
    architecture: text,
    base_model: text,
    license: text,
    pretty_name: text,
    size_category: text,
    task: text,
    language: texts,
    task_categories: texts,
  })
  .meta({ id: 'ModelArtifactSummary' });

const TaskSummary = z
  .object({
    ...shared,
    difficulty: text,
    source: text,
    verification_method: text,
    has_solution: z.boolean(),
    timeout_seconds: z.number().nullable(),
    file_size_bytes: fileSizeBytes,
  })
  .meta({ id: 'TaskSummary' });

const CapabilitySummary = z
  .object({
    ...shared,
    license: text,
    component_counts: z
      .record(z.string(), z.int())
      .describe('Of agents, tools, skills, hooks, mcp_servers and workers'),
    flags: z.record(z.string(), z.boolean()).describe('With their defaults'),
    file_size_bytes: fileSizeBytes,
  })
  .meta({ id: 'CapabilitySummary' });

const detail = {
  organization_id: Id,
  org_key: z.string(),
  digest: z.string().describe('Over the manifest and the files, in hexadecimal'),
  manifest: z.record(z.string(), z.unknown()),
  file_count: z.int(),
  file_size_bytes: fileSizeBytes,
  created_by_user: UserIdentity.nullable().describe('User who published this version; for members only'),
};

const Split = z.object({
  name: z.string(),
  path: z.string(),
  format: z.string().describe('`jsonl`, `csv` or `parquet`'),
  size_bytes: z.int(),
  row_count: z.int(),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});

export const DETAILS: Record<Kind, z.ZodObject> = {
  dataset: DatasetSummary.extend({ ...detail, splits: z.array(Split) }).meta({ id: 'DatasetDetail' }),
  model: ModelArtifactSummary.extend({
    ...detail,
    alias_versions: z.record(z.string(), z.string()).describe('The version that each alias names'),
  }).meta({ id: 'ModelDetail' }),
  task: TaskSummary.extend(detail).meta({ id: 'TaskDetail' }),
  capability: CapabilitySummary.extend({ ...detail, description: text }).meta({ id: 'CapabilityDetail' }),
};

export const LISTS: Record<Kind, z.ZodObject> = {
  dataset: pageOf('datasets', DatasetSummary).meta({ id: 'DatasetListResponse' }),
  model: pageOf('models', ModelArtifactSummary).meta({ id: 'ModelArtifactListResponse' }),
  task: pageOf('tasks', TaskSummary).meta({ id: 'TaskListResponse' }),
  capability: pageOf('capabilities', CapabilitySummary).meta({ id: 'CapabilityListResponse' }),
};

const ArtifactVersion = z
  .object({
    id: Id,
    version: z.string(),
    summary: text,
    digest: z.string(),
    file_count: z.int(),
    file_size_bytes: fileSizeBytes,
    download_count: z.int(),
    aliases: z.array(z.string()).describe('That name this version; only models have any'),
    created_by_user: UserIdentity.nullable().describe('For members only'),
    created_at: Timestamp,
  })
  .meta({ id: 'ArtifactVersion' });

/** Published clients read the list of numbers and use the first one as the newest version. */
export const ArtifactVersionListResponse = pageOf('items', ArtifactVersion)
  .extend({ versions: z.array(z.string()).describe('The version numbers of the items, in their order') })
  .meta({ id: 'ArtifactVersionListResponse' });

const ArtifactFile = z
  .object({ path: z.string(), size_bytes: z.int(), sha256: z.string().describe('In hexadecimal') })
  .meta({ id: 'ArtifactFile' });

export const ArtifactFileListResponse = pageOf('files', ArtifactFile).meta({
  id: 'ArtifactFileListResponse',
});

export const UpdateVisibilityRequest = z
  .object({ is_public: z.boolean().describe('Of all versions') })
  .meta({ id: 'UpdateVisibilityRequest' });

export const UpdateVisibilityResponse = z
  .object({ is_public: z.boolean().describe('The new state'), message: z.string() })
  .meta({ id: 'UpdateVisibilityResponse' });

const name = z
  .string()
  .describe('`name`, or `org/name` URL-encoded for a public artifact of another organization');

export const nameParams = z.object({ name });

/** Parameters of changes, which only apply to artifacts of the organization itself. */
export const ownNameParams = z.object({ name: z.string() });

/** A model version may be given as an alias. */
export const versionParams = (kind: Kind) =>
  z.object({ name, version: kind === 'model' ? VersionOrAlias : SemVer });

export const ownVersionParams = z.object({ name: z.string(), version: SemVer });

export const fileParams = (kind: Kind) =>
  versionParams(kind).extend({ path: z.string().describe('Of the file; may hold slashes') });

export const versionPageQuery = z.object(pageQuery({ defaultLimit: 50, maxLimit: 200 }));

export const filePageQuery = z.object(pageQuery({ defaultLimit: 100, maxLimit: 1_000 }));

export type PageQuery = z.output<typeof versionPageQuery>;
