/** Runs a command for an API caller or for background work: collects its output, or streams it. */
import { ApiError } from '../../platform/errors.ts';
import type { Emit } from '../../platform/http/operations.ts';
import { collectOutput, followOutput, type OutputOptions } from '../../platform/sandbox/output.ts';
import type { Command } from '../../platform/sandbox/sandbox-provider.ts';
import type { RuntimeOperator } from '../operator.ts';
import type { Running } from './running.ts';
import { DEFAULT_TIMEOUT_SECONDS, type ExecRequestOf, type ExecResponseOf } from './schema.ts';

/** Runs a command line with bash, which users expect, or with sh if it is missing. */
const SHELL = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';

export interface RunOptions extends Pick<OutputOptions, 'stdin' | 'maxBytes'> {
  /** Aborted when the caller disconnects; ends the command. */
  readonly signal: AbortSignal;
  /** Undefined if the caller waits for the complete output. */
  readonly emit?: Emit | undefined;
}

export async function runCommand(
  operator: Pick<RuntimeOperator, 'exec'>,
  { target, hasWorkspace, place, remainingMs }: Running,
  request: ExecRequestOf,
  { emit, ...given }: RunOptions,
): Promise<ExecResponseOf> {
  const execution = await operator.exec(target, toCommand(request, hasWorkspace), place).catch(toRefusal);
  const options = { ...toInput(request), ...given, timeoutMs: toTimeoutMs(request, remainingMs) };
  if (!emit) return collectOutput(execution, options);
  const outcome = await followOutput(execution, options, (stream, data) => emit(stream, { data }));
  return { ...outcome, stdout: '', stderr: '' };
}

/** Errors that only the sandbox can detect are reported for the request body. */
function toRefusal(error: unknown): never {
  if (!(error instanceof ApiError && error.type === 'validation_error')) throw error;
  const issues = (error.issues ?? []).map(({ loc, msg, type }) => ({ loc: ['body', ...loc], msg, type }));
  throw new ApiError('validation_error', error.message, { issues, cause: error });
}

function toCommand({ command, cwd, env }: ExecRequestOf, hasWorkspace: boolean): Command {
  const [program = '', ...rest] =
    typeof command === 'string' ? ['/bin/sh', '-c', SHELL, 'sh', command] : command;
  return {
    argv: [program, ...rest],
    cwd: cwd ?? (hasWorkspace ? '/workspace' : '/'),
    environment: env ?? {},
  };
}

function toInput({ stdin, stdin_base64 }: ExecRequestOf): Pick<OutputOptions, 'stdin'> {
  if (typeof stdin_base64 === 'string') return { stdin: Buffer.from(stdin_base64, 'base64') };
  return typeof stdin === 'string' ? { stdin } : {};
}

/** Limits the timeout to the remaining time of the sandbox: a command that is frozen with it would keep its caller waiting. */
function toTimeoutMs({ timeout_seconds }: ExecRequestOf, remainingMs = Infinity): number {
  return Math.max(1, Math.min((timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000, remainingMs));
}
