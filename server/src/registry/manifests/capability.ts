/** `capability.yaml`: the components of a capability. Lists that it omits are filled from the files. */
import { z } from 'zod';
import type { KindOfArtifact } from '../draft.ts';
import { AnyObject, isHidden, NO_LISTING, Text, Word, Words } from './fields.ts';

const Components = z.array(z.union([Word, AnyObject])).max(1_000);

const FlagName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'a flag is named with 1 to 63 letters, digits, dots, underscores or dashes, starting with a letter or digit',
  );

const Flag = z.looseObject({ description: z.string().max(2_000).nullish(), default: z.boolean().nullish() });

const CapabilityManifest = z.looseObject({
  schema: z.literal(1, 'must be 1'),
  name: z.string(),
  version: z.string(),
  description: Text,
  agents: Components.nullish(),
  tools: Components.nullish(),
  skills: Components.nullish(),
  hooks: Components.nullish(),
  mcp: z.looseObject({ servers: z.union([AnyObject, z.array(AnyObject)]).nullish() }).nullish(),
  flags: z.record(FlagName, Flag).nullish(),
  workers: AnyObject.nullish(),
  dependencies: AnyObject.nullish(),
  checks: z.array(z.unknown()).max(1_000).nullish(),
  keywords: Words.nullish(),
  license: Word.nullish(),
  author: z.union([Word, AnyObject]).nullish(),
});

type CapabilityManifest = z.output<typeof CapabilityManifest>;

/** `artifact_versions.details` of a capability, besides the listing. */
export interface CapabilityDetails {
  readonly description: string;
  readonly component_counts: {
    readonly agents: number;
    readonly tools: number;
    readonly skills: number;
    readonly hooks: number;
    readonly mcp_servers: number;
    readonly workers: number;
  };
  /** Components as the manifest lists them, or the paths of those found. */
  readonly components: {
    readonly agents: readonly Component[];
    readonly tools: readonly Component[];
    readonly skills: readonly Component[];
  };
  /** Default values of the flags. */
  readonly flags: Readonly<Record<string, boolean>>;
}

type Component = string | Readonly<Record<string, unknown>>;

export const capabilityKind: KindOfArtifact<CapabilityManifest> = {
  kind: 'capability',
  manifest: CapabilityManifest,
  examine: async ({ manifest, files }) => {
    const paths = [...files.keys()].filter((path) => !isHidden(path));
    const components = {
      agents: manifest.agents ?? findAll(paths, /^agents\/[^/]+\.md$/),
      tools: manifest.tools ?? findAll(paths, /^tools\/(?!__pycache__)[^/]+/),
      skills: manifest.skills ?? findAll(paths, /^skills\/[^/]+\/SKILL\.md$/),
    };
    const details: CapabilityDetails = {
      description: manifest.description,
      component_counts: {
        agents: components.agents.length,
        tools: components.tools.length,
        skills: components.skills.length,
        hooks: manifest.hooks?.length ?? 0,
        mcp_servers: Object.keys(manifest.mcp?.servers ?? {}).length,
        workers: Object.keys(manifest.workers ?? {}).length,
      },
      components,
      flags: mapValues(manifest.flags ?? {}, (flag) => flag.default ?? false),
    };
    const listing = {
      ...NO_LISTING,
      summary: manifest.description,
      tags: manifest.keywords ?? null,
      license: manifest.license ?? null,
    };
    return { listing, details: { ...details } };
  },
};

/** Returns the distinct matches of all paths. */
function findAll(paths: readonly string[], pattern: RegExp): string[] {
  return [...new Set(paths.flatMap((path) => pattern.exec(path)?.[0] ?? []))].toSorted();
}

const mapValues = <From, To>(values: Readonly<Record<string, From>>, change: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
