/** The sandboxes of a sample: their configuration, their files, and the setup of the task. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TarFile, writeTar } from '../../platform/tar.ts';
import { readFiles } from '../../registry/service.ts';
import type { EphemeralSandbox, SandboxRequest } from '../../runtimes/service.ts';
import type { CapabilityCopy, StoredRequest } from '../stored-request.ts';
import type { ItemContext } from './context.ts';

const DEFAULT_TIMEOUT_SECONDS = 1_800;
const DEFAULT_VERIFICATION_SECONDS = 600;
/** Time for the preparation and the end of a sandbox, beyond the timeout of the agent or the verification. */
const SPARE_SECONDS = 900;
const SETUP_SECONDS = 600;
const SETUP_OUTPUT = 2_000;
const WORKSPACE = '/workspace';
/** Bundles do not store file modes, so every file is made executable. */
const FILE_MODE = 0o755;
const UNPACK = [
  'tar',
  '--extract',
  '--file=-',
  '--directory=/',
  '--absolute-names',
  '--no-same-owner',
  '--no-overwrite-dir',
];

/** The sandbox of a task could not be prepared. The message holds the output, and the sample is retried as an infrastructure error. */
export class SetupFailed extends Error {}

export const timeoutOf = ({ evaluation, item }: ItemContext): number =>
  evaluation.request.limits.task_timeout_seconds ?? item.details?.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS;

export const verificationTimeoutOf = ({ item }: ItemContext): number =>
  item.details?.verification.timeout_seconds ?? DEFAULT_VERIFICATION_SECONDS;

/** Resources of the task win over those of the template. */
export function resourcesOf({ evaluation, item }: ItemContext): { cpu_cores?: number; memory_mb?: number } {
  const { template } = evaluation.execution;
  const requested = item.details?.resources;
  const cpu_cores = requested?.cpu_cores ?? template?.resources.cpu_cores;
  const memory_mb = requested?.memory_mb ?? template?.resources.memory_mb;
  return { ...(cpu_cores !== undefined && { cpu_cores }), ...(memory_mb !== undefined && { memory_mb }) };
}

type Config = NonNullable<SandboxRequest['config']>;

/** The sandbox of the agent: network, environment, secrets and capability. */
export function agentConfig(context: ItemContext): Config {
  const { evaluation, item } = context;
  const { request, execution } = evaluation;
  const { template } = execution;
  const { capability, secret_ids } = request;
  const network = item.details?.environment.network;
  const hosts = [
    ...(template?.sandbox.egress_allow ?? []),
    ...(network?.allowlist ?? []),
    ...(execution.egressAllow ?? []),
  ];
  const others = (template?.capabilities ?? []).filter(({ name }) => name !== capability?.name);
  return {
    ...commonConfig(context),
    capabilities: [
      ...(capability ? [{ name: capability.name, version: capability.version }] : []),
      ...others,
    ],
    runtime_server: { env: { ...template?.runtime_server.env, ...item.details?.environment.env } },
    secrets: { secret_ids: [...new Set([...secret_ids, ...(template?.secrets.secret_ids ?? [])])] },
    sandbox: {
      timeout_seconds: toSandboxSeconds(timeoutOf(context)),
      ...(hosts.length > 0 && { egress_allow: [...new Set(hosts)] }),
      ...(execution.agent?.program && {
        platform_access: 'inference' as const,
        ...toSpendLimit(request.limits),
      }),
    },
  };
}

const toSpendLimit = ({ max_cost_usd }: StoredRequest['limits']) =>
  max_cost_usd ? { spend_limit_usd: max_cost_usd } : {};

/** The sandbox of the verification: nothing of the agent's but /workspace, and no network. */
export function verificationConfig(context: ItemContext): Config {
  const { item } = context;
  return {
    ...commonConfig(context),
    runtime_server: { env: { ...item.details?.environment.env } },
    sandbox: { timeout_seconds: toSandboxSeconds(verificationTimeoutOf(context)) },
  };
}

function commonConfig(context: ItemContext): Config {
  const { template } = context.evaluation.execution;
  return { ...(template && { build: template.build }), resources: resourcesOf(context) };
}

const toSandboxSeconds = (seconds: number) => Math.max(60, seconds + SPARE_SECONDS);

/**
 * Writes the files of the task or row, and runs the setup of the task.
 * @throws {SetupFailed}
 */
export async function prepare(context: ItemContext, sandbox: EphemeralSandbox): Promise<void> {
  const { item, signal } = context;
  const rowFiles = Object.entries(item.files ?? {}).map(([path, text]) => textFile(toTarget(path), text));
  if (rowFiles.length > 0) await putFiles(sandbox, rowFiles);
  const { capabilityCopy } = context.evaluation.execution;
  if (capabilityCopy) await putFiles(sandbox, readCapabilityCopy(context, capabilityCopy));
  if ((item.details?.environment.files.length ?? 0) > 0)
    await putFiles(sandbox, readEnvironmentFiles(context));
  for (const command of item.details?.environment.setup ?? [])
    await runSetup(sandbox, 'task', command, {}, signal);
}

/**
 * @param of whose setup it is, for the error
 * @throws {SetupFailed}
 */
export async function runSetup(
  sandbox: EphemeralSandbox,
  of: 'task' | 'agent',
  command: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const { exitCode, stdout, stderr, timedOut } = await sandbox.exec(command, {
    timeoutSeconds: SETUP_SECONDS,
    env,
    signal,
  });
  if (exitCode === 0) return;
  const why = timedOut ? `took longer than ${SETUP_SECONDS} s` : `ended with exit code ${exitCode}`;
  throw new SetupFailed(
    `The setup of the ${of} ${why}: ${(stderr.trim() || stdout.trim()).slice(-SETUP_OUTPUT)}`,
  );
}

const toTarget = (target: string) => (target.startsWith('/') ? target : `${WORKSPACE}/${target}`);

/** Reads only the files that `environment.files` lists: the agent must not see the verification. */
function readEnvironmentFiles(context: ItemContext): AsyncIterable<TarFile> {
  const listed = context.item.details?.environment.files ?? [];
  return readBundle(context, (path) =>
    listed.flatMap(({ source, target }) => {
      if (path === source) return [toTarget(target)];
      return path.startsWith(`${source}/`) ? [`${toTarget(target)}${path.slice(source.length)}`] : [];
    }),
  );
}

async function* readCapabilityCopy(context: ItemContext, copy: CapabilityCopy): AsyncGenerator<TarFile> {
  const { ownerId, versionId, folder, replaced } = copy;
  const texts = new Map(replaced.map(({ path, text }) => [path, text]));
  yield* readVersion(context, { ownerId, versionId }, (path) =>
    texts.has(path) ? [] : [`${folder}/${path}`],
  );
  for (const [path, text] of texts) yield textFile(`${folder}/${path}`, text);
}

/** @param place returns the target paths of a file of the bundle; a file without a target is left out */
export async function* readBundle(
  context: ItemContext,
  place: (path: string) => readonly string[],
): AsyncGenerator<TarFile> {
  const { owner_id: ownerId, version_id: versionId } = context.item;
  if (ownerId !== null && versionId !== null) yield* readVersion(context, { ownerId, versionId }, place);
}

async function* readVersion(
  { tools }: ItemContext,
  version: { readonly ownerId: string; readonly versionId: string },
  place: (path: string) => readonly string[],
): AsyncGenerator<TarFile> {
  for await (const { path, sizeBytes, content } of readFiles(tools.db, tools.storage, version)) {
    try {
      const [first, ...others] = place(path);
      if (first === undefined) continue;
      // A file that is put at one place, as nearly all are, is passed on while it is read.
      const bytes = others.length > 0 ? await buffer(content) : undefined;
      for (const target of [first, ...others])
        yield {
          path: target,
          size_bytes: sizeBytes,
          open: async () => (bytes ? [bytes] : content),
          mode: FILE_MODE,
        };
    } finally {
      content.destroy();
    }
  }
}

/**
 * Writes files with one command, as an archive, and creates missing folders.
 * @param files with absolute paths
 */
export async function putFiles(
  sandbox: EphemeralSandbox,
  files: Iterable<TarFile> | AsyncIterable<TarFile>,
): Promise<void> {
  const stdin = Readable.from(writeTar(files), { objectMode: false });
  const { exitCode, stderr } = await sandbox.exec(UNPACK, { stdin, cwd: '/' });
  if (exitCode !== 0)
    throw new SetupFailed(
      `The files of the task could not be put into the sandbox: ${stderr.trim().slice(-SETUP_OUTPUT)}`,
    );
}

export const textFile = (path: string, text: string): TarFile => {
  const bytes = Buffer.from(text);
  return { path, size_bytes: bytes.length, open: async () => [bytes], mode: FILE_MODE };
};
