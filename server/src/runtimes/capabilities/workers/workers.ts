/** Workers of capabilities: background programs in a sandbox. Their state is read from the sandbox each time. */
import { createHash } from 'node:crypto';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { collectOutput, type Output } from '../../../platform/sandbox/output.ts';
import type { Command } from '../../../platform/sandbox/sandbox-provider.ts';
import type { RuntimeOperator } from '../../operator.ts';
import { USED } from '../in-use.ts';
import { findWorker, listWorkers, toCommand } from '../manifest.ts';
import { toRefusal } from '../mcp/servers.ts';
import type { UsedBinding } from '../used-binding.ts';
import type { WorkerOf } from './schema.ts';
import { INSPECT, READ_LOG, START, STATUS, STOP, SUPERVISE, WAIT } from './scripts.ts';

type Operator = Pick<RuntimeOperator, 'exec'>;

const LOG_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;

/** Hashed, because the name of a worker may contain any characters. */
const folderOf = (bindingId: string, worker: string) =>
  `${USED}/${bindingId}/${createHash('sha256').update(worker).digest('hex')}`;

export async function listStates(operator: Operator, used: UsedBinding): Promise<WorkerOf[]> {
  return inspect(operator, used, listWorkers(used.binding.manifest));
}

async function inspect(operator: Operator, used: UsedBinding, names: readonly string[]): Promise<WorkerOf[]> {
  if (names.length === 0) return [];
  const folders = names.map((name) => folderOf(used.binding.id, name));
  const { stdout } = await runScript(operator, used, INSPECT, folders);
  const lines = stdout.split('\n');
  return names.map((name, index) => ({ name, ...toState(lines[index] ?? '') }));
}

/** Validates the line, because the guest can write anything into the folder. */
function toState(line: string): Omit<WorkerOf, 'name'> {
  const [, state, started, exit] = /^(running|stopped|exited) (\d{1,12}|-) (\d{1,3}|-)$/.exec(line) ?? [];
  return {
    state: (state ?? 'stopped') as WorkerOf['state'],
    started_at: toTime(started),
    exit_code: exit === undefined || exit === '-' ? null : Number(exit),
  };
}

function toTime(seconds: string | undefined): string | null {
  if (seconds === undefined || seconds === '-') return null;
  const time = new Date(Number(seconds) * 1_000);
  return time.getUTCFullYear() <= 9_999 ? time.toISOString() : null;
}

async function getState(operator: Operator, used: UsedBinding, name: string): Promise<WorkerOf> {
  const [found] = await inspect(operator, used, [name]);
  if (!found) throw noWorker(used, name);
  return found;
}

const noWorker = ({ binding }: UsedBinding, name: string) =>
  notFound(`Worker "${name}" of ${binding.capability_name}`);

export async function startWorker(operator: Operator, used: UsedBinding, name: string): Promise<WorkerOf> {
  const worker = findWorker(used.binding.manifest, name);
  if (!worker) throw noWorker(used, name);
  const { argv, cwd, environment } = toCommand(used.binding, worker);
  const given = [folderOf(used.binding.id, name), SUPERVISE, ...argv];
  const output = await runScript(operator, used, START, given, { cwd, environment });
  if (output.exit_code === STATUS.notSo) throw conflict(`The worker "${name}" runs already.`);
  requireDone(output, 'started');
  return getState(operator, used, name);
}

export async function stopWorker(operator: Operator, used: UsedBinding, name: string): Promise<WorkerOf> {
  requireListed(used, name);
  const given = [String(WAIT), folderOf(used.binding.id, name)];
  const output = await runScript(operator, used, STOP, given);
  if (output.exit_code === STATUS.notSo) throw conflict(`The worker "${name}" does not run.`);
  requireDone(output, 'stopped');
  return getState(operator, used, name);
}

export async function readLog(operator: Operator, used: UsedBinding, name: string): Promise<string> {
  requireListed(used, name);
  const given = [folderOf(used.binding.id, name), String(LOG_BYTES)];
  return (await runScript(operator, used, READ_LOG, given)).stdout;
}

function requireListed(used: UsedBinding, name: string): void {
  if (!listWorkers(used.binding.manifest).includes(name)) throw noWorker(used, name);
}

const conflict = (detail: string) => new ApiError('conflict_error', detail);

async function runScript(
  operator: Operator,
  { target, place }: UsedBinding,
  script: string,
  given: readonly string[],
  { cwd = '/', environment = {} }: Partial<Pick<Command, 'cwd' | 'environment'>> = {},
): Promise<Output> {
  const argv = ['/bin/sh', '-c', script, 'sh', ...given] as const;
  const execution = await operator.exec(target, { argv, cwd, environment }, place).catch(toRefusal);
  const output = await collectOutput(execution, { timeoutMs: TIMEOUT_MS });
  if (output.exit_code === STATUS.noTools) {
    throw conflict('Workers need flock and setsid in the sandbox; they are part of util-linux.');
  }
  return output;
}

function requireDone({ exit_code, stderr }: Output, what: string): void {
  if (exit_code === 0) return;
  const why = stderr.trim().slice(-500) || `its script ended with ${exit_code}`;
  throw new ApiError('sandbox_provider_error', `The worker could not be ${what}: ${why}`);
}
