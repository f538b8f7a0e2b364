/** What each kind shows of a version besides what all kinds share: read from its listing, its manifest and its details. */
import { type RawBuilder, sql } from 'kysely';
import type { Kind } from '../kinds.ts';

/** What a model is made with that does not say. */
export const DEFAULT_FRAMEWORK = 'safetensors';

interface Fields {
  readonly listing: readonly string[];
  readonly manifest: readonly string[];
  readonly details: readonly string[];
}

const FIELDS: Record<Kind, Fields> = {
  dataset: { listing: ['license', 'task_categories'], manifest: [], details: ['row_count'] },
  model: {
    listing: ['framework', 'license', 'size_category', 'task_categories'],
    manifest: ['origin', 'architecture', 'base_model', 'pretty_name', 'task', 'language'],
    details: [],
  },
  task: {
    listing: ['difficulty', 'source'],
    manifest: [],
    details: ['verification_method', 'has_solution', 'timeout_seconds'],
  },
  capability: { listing: ['license'], manifest: [], details: ['component_counts', 'flags'] },
};

/** Where nothing is given and null would be no answer. */
const DEFAULTS: Record<Kind, Readonly<Record<string, unknown>>> = {
  dataset: { splits: [] },
  model: { framework: DEFAULT_FRAMEWORK, origin: {} },
  task: { has_solution: false },
  capability: { component_counts: {}, flags: {}, description: null },
};

type Values = Readonly<Record<string, unknown>>;

/** Of the latest version, as the row of its artifact has it. */
export const listingColumns = (kind: Kind): readonly string[] => ['summary', 'tags', ...FIELDS[kind].listing];

/** The rest, as one value, so that a list need not read whole manifests. @param alias of a row of artifact_versions */
export function selectShown(kind: Kind, alias: string): RawBuilder<Values> {
  const { manifest, details } = FIELDS[kind];
  const pick = (from: string, names: readonly string[]) =>
    names.map((name) => `'${name}', ${alias}.${from} -> '${name}'`);
  return sql.raw(
    `jsonb_build_object(${[...pick('manifest', manifest), ...pick('details', details)].join(', ')})`,
  );
}

/** Both, of a version that was read as a whole. */
export function pickShown(
  kind: Kind,
  version: { manifest: Values; details: Values & { listing: object } },
): Values {
  const { manifest, details } = FIELDS[kind];
  const pick = (from: object, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, (from as Values)[name] ?? null]));
  return {
    ...pick(version.details.listing, listingColumns(kind)),
    ...pick(version.manifest, manifest),
    ...pick(version.details, details),
  };
}

export function withDefaults(kind: Kind, shown: Values): Values {
  const given = Object.entries(shown).filter(([, value]) => value !== null);
  return { ...shown, ...DEFAULTS[kind], ...Object.fromEntries(given) };
}
