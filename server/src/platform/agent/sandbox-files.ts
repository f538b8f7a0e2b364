/** Reads and writes files of a sandbox by commands in it, so that every path works that its user can reach. */
import { posix } from 'node:path';
import { ApiError } from '../errors.ts';
import { AgentAbort } from './ports.ts';

export interface ExecOptions {
  readonly stdin?: string | Uint8Array;
  readonly timeoutSeconds?: number;
  /** Bound on stdout and on stderr each. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
}

export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timedOut: boolean;
}

export interface ToolSandbox {
  /** @param command a shell command line, or a program and its arguments */
  exec(command: string | readonly string[], options?: ExecOptions): Promise<ExecResult>;
}

/** A mistake of the model. The message becomes the tool's result, so it says what the model has to change. */
export class ToolMistake extends Error {}

const FILE_TIMEOUT_SECONDS = 60;
const MIB = 1024 ** 2;

/** Exit codes of the scripts below, which differ from those of the programs that they call. */
const PROBLEMS = new Map([
  [101, 'does not exist'],
  [102, 'is a folder'],
  [103, 'is not a regular file'],
  [104, 'cannot be read by the user of the sandbox'],
]);

const CHECK = `
[ -e "$1" ] || exit 101
[ ! -d "$1" ] || exit 102
[ -f "$1" ] || exit 103
[ -r "$1" ] || exit 104
`;

/** The content is passed in base64, since the output of a command is decoded as UTF-8, which loses other bytes. */
const READ = `${CHECK} tail -n "+$2" "$1" | head -n "$3" | head -c "$4" | base64`;
const READ_ALL = `${CHECK} head -c "$2" "$1" | base64`;
const WRITE = 'mkdir -p "$2" && cat > "$1"';

/** Runs `sandbox.exec` and converts its errors for a tool: mistakes are reported to the model, all other errors end the run. */
export async function execInSandbox(
  sandbox: ToolSandbox,
  command: string | readonly string[],
  options: ExecOptions,
): Promise<ExecResult> {
  try {
    return await sandbox.exec(command, options);
  } catch (error) {
    const isMistake =
      error instanceof ApiError && (error.type === 'validation_error' || error.type === 'invalid_error');
    if (!isMistake) throw new AgentAbort(error);
    const issues = (error.issues ?? []).map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`);
    throw new ToolMistake(issues.length > 0 ? `${error.message} ${issues.join('; ')}` : error.message);
  }
}

/** Relative paths are below /workspace. */
export const toAbsolutePath = (path: string) => posix.resolve('/workspace', path);

/** @param firstLine counted from 1 */
export const readLines = (
  sandbox: ToolSandbox,
  path: string,
  range: { readonly firstLine: number; readonly lines: number; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<Buffer> =>
  read(sandbox, [READ, 'sh', path, `${range.firstLine}`, `${range.lines}`, `${range.maxBytes}`], signal);

/** Reads the first `maxBytes` of a file. */
export const readStart = (sandbox: ToolSandbox, path: string, maxBytes: number, signal: AbortSignal) =>
  read(sandbox, [READ_ALL, 'sh', path, `${maxBytes}`], signal);

async function read(sandbox: ToolSandbox, script: readonly string[], signal: AbortSignal): Promise<Buffer> {
  const [, , path = ''] = script;
  const { stdout } = await runScript(
    sandbox,
    script,
    { signal, maxBytes: 8 * MIB },
    `${path} cannot be read`,
  );
  return Buffer.from(stdout, 'base64');
}

/** Creates missing folders. An existing file keeps its mode, and a link stays a link. */
export async function writeWhole(
  sandbox: ToolSandbox,
  path: string,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  const script = [WRITE, 'sh', path, posix.dirname(path)];
  await runScript(sandbox, script, { stdin: content, signal }, `${path} cannot be written`);
}

async function runScript(
  sandbox: ToolSandbox,
  script: readonly string[],
  options: ExecOptions,
  failure: string,
): Promise<ExecResult> {
  const [, , path = ''] = script;
  const result = await execInSandbox(sandbox, ['/bin/sh', '-c', ...script], {
    ...options,
    cwd: '/',
    timeoutSeconds: FILE_TIMEOUT_SECONDS,
  });
  if (result.timedOut) throw new ToolMistake(`${failure} within ${FILE_TIMEOUT_SECONDS} s.`);
  const problem = PROBLEMS.get(result.exitCode);
  if (problem !== undefined) throw new ToolMistake(`${path} ${problem}.`);
  if (result.exitCode !== 0)
    throw new ToolMistake(`${failure}: ${result.stderr.trim() || `exit code ${result.exitCode}`}`);
  return result;
}
