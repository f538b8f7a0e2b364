/** Fields of a version that each kind shows in addition to the common ones, from its listing, manifest and details. */
import { type RawBuilder, sql } from 'kysely';
import type { Kind } from '../kinds.ts';

/** Framework of a model that does not declare one. */
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

/** Default values of fields that must not be null. */
const DEFAULTS: Record<Kind, Readonly<Record<string, unknown>>> = {
  dataset: { splits: [] },
  model: { framework: DEFAULT_FRAMEWORK, origin: {} },
  task: { has_solution: false },
  capability: { component_counts: {}, flags: {}, description: null },
};

type Values = Readonly<Record<string, unknown>>;

/** Fields of the latest version that the artifact row contains. */
export const listingColumns = (kind: Kind): readonly string[] => ['summary', 'tags', ...FIELDS[kind].listing];

/**
 * Selects the other fields as one value, so that a list need not read whole manifests.
 * @param alias of a row of artifact_versions
 */
export function selectShown(kind: Kind, alias: string): RawBuilder<Values> {
  const { manifest, details } = FIELDS[kind];
  const pick = (from: string, names: readonly string[]) =>
    names.map((name) => `'${name}', ${alias}.${from} -> '${name}'`);
  return sql.raw(
    `jsonb_build_object(${[...pick('manifest', manifest), ...pick('details', details)].join(', ')})`,
  );
}

/** Picks all fields from a version that was read completely. */
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
