/** Reads a manifest for publishing: validates it by its kind and compares it with the path. */
import type { z } from 'zod';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/manifest-yaml.ts';
import { findMeantName } from '../../platform/near-names.ts';
import { type FindUnknownNames, unknownNameFinder } from '../../platform/unknown-names.ts';
import '../../platform/validation-messages.ts';
import type { Examined, Findings, KindOfArtifact } from '../draft.ts';
import type { Kind } from '../kinds.ts';
import { isVersion, precedenceOf } from '../version.ts';

const MAX_NAMED = 100;

export interface GivenManifest {
  readonly value: JsonObject;
  /** Location of the manifest in the request. */
  readonly loc: readonly string[];
  /** Line of a key, for a manifest given as text. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number;
}

/** Name and version from the path of the request. */
export interface PublishedAs {
  readonly name: string;
  readonly version: string;
}

type Examine = (draft: Omit<Examined<unknown>, 'manifest'>) => Promise<Findings>;

/** A kind with the type of its manifest erased. */
export interface ManifestReader {
  readonly kind: Kind;
  /** @returns a function that examines the files of the bundle */
  read(given: GivenManifest, as: PublishedAs): Examine;
  /** Returns the keys of a manifest that are ignored. */
  findIgnored(manifest: JsonObject): readonly Issue['loc'][];
}

export function manifestReader<Manifest>(kind: KindOfArtifact<Manifest>): ManifestReader {
  const findUnknown = unknownKeyFinder(kind.manifest);
  return {
    kind: kind.kind,
    read(given, as) {
      const manifest = readManifest(kind.manifest, given, as);
      return (draft) => kind.examine({ ...draft, manifest });
    },
    findIgnored: (manifest) =>
      findUnknown(manifest).map(({ path }) => ['manifest' as string | number].concat(path)),
  };
}

/** Finds all unknown keys: a misspelled key may come after many others. */
const unknownKeyFinder = (schema: z.ZodType): FindUnknownNames =>
  unknownNameFinder(schema, {
    inLooseObjects: true,
    alsoKnown: ['name', 'version'],
    most: Number.POSITIVE_INFINITY,
  }) ?? (() => []);

export function readManifest<Manifest>(
  schema: z.ZodType<Manifest>,
  { value, loc, lineOf }: GivenManifest,
  as: PublishedAs,
): Manifest {
  const parsed = schema.safeParse(value, { reportInput: true });
  const found = [
    ...findMismatches(value, as),
    ...findMisspelt(schema, value),
    ...(parsed.success ? [] : parsed.error.issues.map(toIssue)),
  ];
  if (parsed.success && found.length === 0) return parsed.data;
  // If one place has two errors, the first is reported: the expected value helps more than the expected type.
  const byPlace = new Map<string, Issue>();
  for (const issue of found) {
    const place = JSON.stringify(issue.loc);
    if (!byPlace.has(place)) byPlace.set(place, issue);
  }
  const issues = [...byPlace.values()].slice(0, MAX_NAMED).map((issue) => ({
    loc: [...loc, ...issue.loc],
    msg: lineOf ? `line ${lineOf(issue.loc)}: ${issue.msg}` : issue.msg,
    type: issue.type,
  }));
  throw invalidValues(issues);
}

/** A published version cannot be changed, so a key that looks misspelled is refused. */
const findMisspelt = (schema: z.ZodType, value: JsonObject): Issue[] =>
  unknownKeyFinder(schema)(value).flatMap(({ path, known }) => {
    const meant = findMeantName(String(path.at(-1)), known);
    const msg = `"${path.at(-1)}" is not a key of this manifest; did you mean "${meant}"?`;
    return meant === undefined ? [] : [{ loc: path, msg, type: 'unknown_key' }];
  });

function toIssue(issue: z.core.$ZodIssue): Issue {
  const loc = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  return issue.input === undefined && issue.code === 'invalid_type'
    ? { loc, msg: `"${loc.at(-1)}" is required`, type: 'missing' }
    : { loc, msg: issue.message, type: issue.code };
}

function* findMismatches(value: JsonObject, as: PublishedAs): Generator<Issue> {
  const mismatch = (key: string, is: string): Issue => ({
    loc: [key],
    msg: `must equal the ${key} that is published, "${is}"`,
    type: 'mismatch',
  });
  const { name, version } = value;
  if (name !== undefined && name !== null && name !== as.name) yield mismatch('name', as.name);
  if (version !== undefined && version !== null && !isSameVersion(version, as.version))
    yield mismatch('version', as.version);
}

const isSameVersion = (given: unknown, version: string) =>
  typeof given === 'string' && isVersion(given) && precedenceOf(given) === precedenceOf(version);
