/** Parses MCP servers and workers from the manifest of a capability. Anyone may have published it, so everything is validated. */
import { posix } from 'node:path';
import { z } from 'zod';
import { ApiError } from '../../platform/errors.ts';
import type { Command } from '../../platform/sandbox/sandbox-provider.ts';
import { type BindingRow, effectiveFlags } from './bindings.ts';
import { folderOf } from './folder-names.ts';

type Manifest = Readonly<Record<string, unknown>>;

const Scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Arguments = z.array(Scalar).max(1_000);
const Environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not a valid variable name'),
  Scalar,
);
const SETTING = { env: Environment.nullish(), cwd: z.string().min(1).nullish() };

const LocalServer = z.looseObject({ command: z.string().min(1), args: Arguments.nullish(), ...SETTING });
const RemoteServer = z.looseObject({ url: z.string().min(1).max(2_000) });

const Line = z.string().min(1);
const Program = z.tuple([Scalar], Scalar);
const Worker = z.union([
  Line.transform((command) => ({ command, args: undefined, env: undefined, cwd: undefined })),
  Program.transform(([command, ...args]) => ({ command, args, env: undefined, cwd: undefined })),
  z.looseObject({ command: z.union([Line, Program]), args: Arguments.nullish(), ...SETTING }),
]);

export type McpServer =
  | { readonly name: string; readonly transport: 'stdio'; readonly start: Start }
  | { readonly name: string; readonly transport: 'http'; readonly url: string }
  /** @property problem why the entry is invalid */
  | { readonly name: string; readonly transport: 'unknown'; readonly problem: string };

/** A command; if it has no arguments, it may be a shell command line. */
interface Start {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** Entries are a list with names, or an object keyed by name. */
export function listServers(manifest: Manifest): McpServer[] {
  const { servers } = (manifest.mcp ?? {}) as { readonly servers?: unknown };
  return entriesOf(servers).map(([name, given]) => toServer(name, given));
}

function entriesOf(given: unknown): [string, unknown][] {
  if (typeof given !== 'object' || given === null) return [];
  if (!Array.isArray(given)) return Object.entries(given);
  return given.map((one: unknown, index) => {
    const { name } = (one ?? {}) as { readonly name?: unknown };
    return [typeof name === 'string' ? name : String(index), one];
  });
}

function toServer(name: string, given: unknown): McpServer {
  const local = LocalServer.safeParse(given);
  if (local.success) {
    const { command, args, env, cwd } = local.data;
    const start = { argv: [command, ...(args ?? [])] as const, env: env ?? {}, cwd: cwd ?? undefined };
    return { name, transport: 'stdio', start };
  }
  const remote = RemoteServer.safeParse(given);
  if (remote.success) return { name, transport: 'http', url: remote.data.url };
  return { name, transport: 'unknown', problem: describe(local.error) };
}

const SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';
const inShell = (line: string) => ['/bin/sh', '-c', SHELL, 'sh', line] as const;

export const listWorkers = (manifest: Manifest): string[] => Object.keys(manifest.workers ?? {});

/** @returns undefined if there is no worker of this name */
export function findWorker(manifest: Manifest, name: string): Start | undefined {
  const workers = (manifest.workers ?? {}) as Readonly<Record<string, unknown>>;
  if (!Object.hasOwn(workers, name)) return undefined;
  const parsed = Worker.safeParse(workers[name]);
  if (!parsed.success) throw notStartable('worker', name, describe(parsed.error));
  const { command, args, env, cwd } = parsed.data;
  const [program, ...first] = typeof command === 'string' ? [command] : command;
  const argv: Start['argv'] =
    typeof command === 'string' && !args ? inShell(command) : [program, ...first, ...(args ?? [])];
  return { argv, env: env ?? {}, cwd: cwd ?? undefined };
}

const describe = (error: z.ZodError) => {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'it'}: ${issue.message}` : 'it cannot be read';
};

export const notStartable = (what: string, name: string, problem: string) =>
  new ApiError(
    'conflict_error',
    `The manifest does not say how the ${what} "${name}" is started: ${problem}.`,
  );

/** Runs in the folder of the capability, which is also passed in its environment. */
export function toCommand(
  binding: Pick<BindingRow, 'capability_name' | 'version' | 'flags' | 'default_flags'>,
  { argv, env, cwd }: Start,
): Command {
  const root = folderOf(binding.capability_name);
  const fill = (text: string) => text.replaceAll('${CAPABILITY_ROOT}', root);
  const [program, ...rest] = argv;
  const given = Object.entries(env).map(([name, value]) => [name, fill(value)]);
  const flags = Object.entries(effectiveFlags(binding)).map(([name, value]) => [
    `CAPABILITY_FLAG_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`,
    String(value),
  ]);
  return {
    argv: [fill(program), ...rest.map(fill)],
    cwd: posix.resolve(root, fill(cwd ?? '.')),
    environment: {
      ...Object.fromEntries([...flags, ...given]),
      CAPABILITY_ROOT: root,
      CAPABILITY_NAME: binding.capability_name,
      CAPABILITY_VERSION: binding.version,
    },
  };
}
