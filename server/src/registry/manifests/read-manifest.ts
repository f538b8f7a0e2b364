/** From what was given as a manifest to what publishing needs of it: checked against its kind and against the path. */
import type { z } from 'zod';
import type { Issue } from '../../platform/errors.ts';
import { type JsonObject, refusalOf } from '../../platform/manifest-yaml.ts';
import type { Examined, Findings, KindOfArtifact } from '../draft.ts';
import type { Kind } from '../kinds.ts';
import { isVersion, precedenceOf } from '../version.ts';

const MAX_NAMED = 100;

export interface GivenManifest {
  readonly value: JsonObject;
  /** Where it stands in the request. */
  readonly loc: readonly string[];
  /** Of a manifest that came as text. */
  readonly lineOf?: (path: readonly PropertyKey[]) => number;
}

/** What the path says that is published. */
export interface PublishedAs {
  readonly name: string;
  readonly version: string;
}

type Examine = (draft: Omit<Examined<unknown>, 'manifest'>) => Promise<Findings>;

/** A kind whose manifests have become one type for all. */
export interface ManifestReader {
  readonly kind: Kind;
  /** @returns how to examine the files that come with it */
  read(given: GivenManifest, as: PublishedAs): Examine;
}

export function manifestReader<Manifest>(kind: KindOfArtifact<Manifest>): ManifestReader {
  return {
    kind: kind.kind,
    read(given, as) {
      const manifest = readManifest(kind.manifest, given, as);
      return (draft) => kind.examine({ ...draft, manifest });
    },
  };
}

export function readManifest<Manifest>(
  schema: z.ZodType<Manifest>,
  { value, loc, lineOf }: GivenManifest,
  as: PublishedAs,
): Manifest {
  const parsed = schema.safeParse(value, { reportInput: true });
  const found = [...findMismatches(value, as), ...(parsed.success ? [] : parsed.error.issues.map(toIssue))];
  if (parsed.success && found.length === 0) return parsed.data;
  // Of two mistakes in one place the first is told: what it should be says more than what form it should have.
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
  throw refusalOf(issues);
}

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
