/** The environment of a task: an image or how to build it, the files copied into it, and its network access. */
import { z } from 'zod';
import { BundlePath, Word } from './fields.ts';

const MAX_ITEMS = 1_000;

/** A host name, optionally with a port or with "*." for all subdomains; or an address. */
const Host = z
  .string()
  .regex(
    /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/,
    'must be a host such as example.com, *.example.com or example.com:443',
  );

const Hosts = z.array(Host).min(1).max(MAX_ITEMS);

const NetworkMode = z.enum(['none', 'open', 'allowlist']);

/** `none`, `open`, `{allowlist: […]}`, or the list itself; or `allowlist` with a separate list. */
const Network = z.union([NetworkMode, Hosts, z.looseObject({ allowlist: Hosts })], {
  error: 'must be "none", "open" or {allowlist: [host, …]}',
});

/** "." is the root of the bundle. */
const Folder = z.union([z.literal(['.', './']).transform(() => ''), BundlePath]);

const Build = z.union(
  [Folder, z.looseObject({ context: Folder.nullish(), dockerfile: BundlePath.nullish() })],
  { error: 'must be a folder of the bundle, a Dockerfile in it, or {context, dockerfile}' },
);

const EnvironmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a valid variable name');
const EnvironmentValue = z.union([z.string().max(32_768), z.int().transform(String)], {
  error: 'must be text; write it in quotes',
});

const Commands = z.union([z.string().max(100_000), z.array(z.string().max(100_000)).max(MAX_ITEMS)]);

/** Path in the sandbox. */
const Target = z.string().min(1).max(1_024);

const isShort = (entries: object) => Object.keys(entries).length <= MAX_ITEMS;
const tooLong = `must not hold more than ${MAX_ITEMS} entries`;

const Files = z.union([z.array(BundlePath), z.record(Target, BundlePath)]).refine(isShort, tooLong);
const Variables = z.record(EnvironmentName, EnvironmentValue).refine(isShort, tooLong);

export const TaskEnvironment = z
  .looseObject({
    image: Word.nullish(),
    build: Build.nullish(),
    setup: Commands.nullish(),
    files: Files.nullish(),
    env: Variables.nullish(),
    network: Network.nullish(),
    allowlist: Hosts.nullish(),
  })
  .superRefine(({ image, build, network, allowlist }, context) => {
    const isNamed = (value: unknown) => value !== undefined && value !== null;
    if (isNamed(image) && isNamed(build))
      context.addIssue({ code: 'custom', path: ['build'], message: 'cannot stand beside "image"; keep one' });
    if (network === 'allowlist' && !isNamed(allowlist))
      context.addIssue({ code: 'custom', path: ['allowlist'], message: 'is needed: name the hosts' });
  });

export interface TaskEnvironmentDetails {
  /** If both are null, the platform's default image for tasks is used. */
  readonly image: string | null;
  /** Paths in the bundle; the context is empty for its root. */
  readonly build: { readonly context: string; readonly dockerfile: string } | null;
  readonly setup: readonly string[];
  /** Files of the bundle to copy, with their target paths. */
  readonly files: readonly { readonly source: string; readonly target: string }[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: { readonly mode: 'none' | 'open' | 'allowlist'; readonly allowlist: readonly string[] };
}

type Given = z.output<typeof TaskEnvironment>;

export function toEnvironmentDetails(given: Partial<Given>): TaskEnvironmentDetails {
  return {
    image: given.image ?? null,
    build: toBuild(given.build),
    setup: typeof given.setup === 'string' ? [given.setup] : (given.setup ?? []),
    files: toFiles(given.files),
    env: given.env ?? {},
    network: toNetwork(given),
  };
}

function toBuild(build: Given['build']): TaskEnvironmentDetails['build'] {
  if (build === undefined || build === null) return null;
  if (typeof build !== 'string') {
    const context = build.context ?? '';
    return { context, dockerfile: build.dockerfile ?? inside(context, 'Dockerfile') };
  }
  const isFile = /(^|\/)[^/]*Dockerfile[^/]*$/i.test(build);
  if (!isFile) return { context: build, dockerfile: inside(build, 'Dockerfile') };
  return { context: build.slice(0, Math.max(0, build.lastIndexOf('/'))), dockerfile: build };
}

const inside = (folder: string, file: string) => (folder === '' ? file : `${folder}/${file}`);

function toFiles(files: Given['files']): TaskEnvironmentDetails['files'] {
  if (Array.isArray(files)) return files.map((path) => ({ source: path, target: path }));
  return Object.entries(files ?? {}).map(([target, source]) => ({ source, target }));
}

function toNetwork({ network, allowlist }: Partial<Given>): TaskEnvironmentDetails['network'] {
  if (Array.isArray(network)) return { mode: 'allowlist', allowlist: network };
  if (typeof network === 'object' && network !== null)
    return { mode: 'allowlist', allowlist: network.allowlist };
  const mode = network ?? 'none';
  return { mode, allowlist: mode === 'allowlist' ? (allowlist ?? []) : [] };
}
