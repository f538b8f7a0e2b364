/** Four organizations with artifacts of every kind, generated from a seed, in the tables and in memory. */
import { createOrganization } from '../src/accounts/organizations/create.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { transaction } from '../src/platform/db/transaction.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { Listing } from '../src/registry/draft.ts';
import type { Kind } from '../src/registry/kinds.ts';
import { insertArtifact } from './artifact-rows.ts';

/** Generates the same numbers for the same seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed;
  }

  below(bound: number): number {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % bound;
  }

  isOnce(inSoMany: number): boolean {
    return this.below(inSoMany) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Returns a random subset, from none to all, in their order. */
  some<T>(from: readonly T[]): T[] {
    return from.filter(() => this.isOnce(2));
  }
}

/** The properties of an artifact that a list may show, as it was created. */
export interface KnownArtifact {
  readonly orgKey: string;
  readonly kind: Kind;
  readonly name: string;
  readonly isPublic: boolean;
  readonly createdBy: string;
  readonly updatedAt: string;
  /** Ascending. */
  readonly versions: readonly KnownVersion[];
  readonly aliases: readonly string[];
}

export interface KnownVersion {
  readonly id: string;
  readonly version: string;
  readonly isDeleted: boolean;
  readonly listing: Listing;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly details: Readonly<Record<string, unknown>>;
  readonly fileSizeBytes: number;
  readonly createdAt: string;
  readonly downloadCount: number;
}

export interface Place {
  readonly key: string;
  readonly id: string;
}

/** Ascending; a bytewise order would differ. */
const VERSIONS = [
  '0.9.0',
  '0.10.0-rc.1',
  '0.10.0',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0',
  '10.0.0-alpha',
  '10.0.0',
];
const TIMES = ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.001Z', '2025-06-30T23:59:59.999Z'];
const SIZES = [0, 1, 1024, 5_000_000_000];
/** Names whose bytewise order differs from a dictionary's. */
const NAMES = ['llama', 'gpt', 'mini', 'x', 'base', 'a.b', 'v_2', 'v-2', 'v2', 'v.2', 'the-one', '100'];

export const VALUES = {
  summary: [
    null,
    '',
    'A small model',
    'ÄRGER mit Größe',
    'İstanbul 100% _ \\ safe',
    "it's 日本語のモデル",
    'Small\nand LARGE',
    '🦙 main/llama',
  ],
  tags: ['nlp', 'NLP', 'code', 'ü', 'a b', ''],
  task_categories: ['text-generation', 'qa', 'vision'],
  license: [null, 'mit', 'apache-2.0', 'MIT'],
  framework: [null, 'safetensors', 'gguf', 'onnx'],
  size_category: [null, 'small', '7b'],
  difficulty: [null, 'easy', 'hard'],
  source: [null, 'swe', 'own'],
} as const;

export async function addOrganization(db: Db, userId: string, key: string): Promise<Place> {
  const actor = { userId, apiKeyId: null, requestId: null };
  const created = await transaction(db, (trx) => createOrganization(trx, actor, { name: key, key }));
  return { key, id: created.organizationId };
}

export interface WorldOptions {
  readonly random: Random;
  readonly places: readonly Place[];
  readonly creators: readonly string[];
  readonly kinds: readonly Kind[];
  readonly count: number;
}

export async function addArtifacts(db: Db, options: WorldOptions): Promise<KnownArtifact[]> {
  const drafts = draftArtifacts(options);
  const artifacts: KnownArtifact[] = [];
  // Inserts as many at once as there are connections.
  for (let start = 0; start < drafts.length; start += 8) {
    artifacts.push(
      ...(await Promise.all(drafts.slice(start, start + 8).map((draft) => addArtifact(db, draft)))),
    );
  }
  return artifacts;
}

interface Draft extends Omit<KnownArtifact, 'orgKey' | 'versions'> {
  readonly place: Place;
  readonly versions: readonly Omit<KnownVersion, 'id'>[];
}

function draftArtifacts({ random, places, creators, kinds, count }: WorldOptions): Draft[] {
  const drafts = new Map<string, Draft>();
  for (let index = 0; index < count; index++) {
    const [place, kind, createdBy] = [random.pick(places), random.pick(kinds), random.pick(creators)];
    const name = `${random.pick(NAMES)}${random.isOnce(2) ? `-${random.below(30)}` : ''}`;
    const versions = draftVersions(random);
    const isLive = versions.some(({ isDeleted }) => !isDeleted);
    const aliases = kind === 'model' && isLive ? random.some(['best', 'canary', 'prod']) : [];
    const [isPublic, updatedAt] = [random.isOnce(3), random.pick(TIMES)];
    const draft = { place, kind, name, createdBy, isPublic, updatedAt, versions, aliases };
    drafts.set(`${kind} ${place.key}/${name}`, draft);
  }
  return [...drafts.values()];
}

async function addArtifact(db: Db, { place, ...draft }: Draft): Promise<KnownArtifact> {
  const rows = draft.versions.map((version) => ({
    ...version,
    file_size_bytes: version.fileSizeBytes,
    created_at: version.createdAt,
  }));
  const { id, versionIds } = await insertArtifact(db, { ...draft, organizationId: place.id, versions: rows });
  const versions = draft.versions.map((version, index) => ({ ...version, id: versionIds[index] ?? '' }));
  await db
    .updateTable('artifacts')
    .set({ updated_at: draft.updatedAt })
    .where('organization_id', '=', place.id)
    .where('id', '=', id)
    .execute();
  const version_id = versions.find(({ isDeleted }) => !isDeleted)?.id ?? '';
  const aliases = draft.aliases.map((alias) => ({
    organization_id: place.id,
    artifact_id: id,
    alias,
    version_id,
  }));
  if (aliases.length > 0) await db.insertInto('artifact_aliases').values(aliases).execute();
  for (const version of versions) await addDownloads(db, place, draft.createdBy, version);
  return { ...draft, orgKey: place.key, versions };
}

function draftVersions(random: Random): Omit<KnownVersion, 'id'>[] {
  const numbers = random.some(VERSIONS);
  return (numbers.length > 0 ? numbers : ['1.0.0']).map((version) => ({
    version,
    isDeleted: random.isOnce(4),
    listing: {
      summary: random.pick(VALUES.summary),
      tags: random.isOnce(4) ? null : random.some(VALUES.tags),
      task_categories: random.isOnce(4) ? null : random.some(VALUES.task_categories),
      license: random.pick(VALUES.license),
      framework: random.pick(VALUES.framework),
      size_category: random.pick(VALUES.size_category),
      difficulty: random.pick(VALUES.difficulty),
      source: random.pick(VALUES.source),
    },
    manifest: random.isOnce(2)
      ? {}
      : { architecture: 'transformer', language: ['de'], origin: { run: random.below(9) } },
    details: random.isOnce(2)
      ? {}
      : {
          row_count: random.below(1_000),
          verification_method: 'script',
          has_solution: true,
          timeout_seconds: 60,
          component_counts: { agents: 1, tools: random.below(5) },
          flags: { fast: true },
        },
    fileSizeBytes: random.pick(SIZES),
    createdAt: random.pick(TIMES),
    downloadCount: random.below(4),
  }));
}

/** The first half of the downloads is counted, the others are open. */
async function addDownloads(db: Db, { id }: Place, userId: string, version: KnownVersion): Promise<void> {
  const open = Math.ceil(version.downloadCount / 2);
  await db
    .updateTable('artifact_versions')
    .set({ download_count: version.downloadCount - open })
    .where('organization_id', '=', id)
    .where('id', '=', version.id)
    .execute();
  const rows = Array.from({ length: version.downloadCount }, (_, index) => ({
    organization_id: id,
    id: uuidv7(),
    version_id: version.id,
    user_id: userId,
    format: 'raw',
    is_counted: index >= open,
  }));
  if (rows.length > 0) await db.insertInto('artifact_downloads').values(rows).execute();
}
