/**
 * Runs a program as the agent of a sample. It works in the sandbox without network and calls its model through the platform, which records
 * every call in sessions of the attempt. The program outlives this worker: the next worker finds it, or its result, in the sandbox.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentResult } from '../../../platform/agent/agent.ts';
import { toStorableText } from '../../../platform/storable-text.ts';
import type { EphemeralSandbox } from '../../../runtimes/service.ts';
import { findMainConversation, getGroupTotals } from '../../../sessions/service.ts';
import type { CommandAgent } from '../../stored-request.ts';
import type { Attempt } from '../attempt-rows.ts';
import type { ItemContext } from '../context.ts';
import { putFiles, runSetup, textFile, timeoutOf } from '../task-sandbox.ts';

/** Holds the instruction, and the output and exit code of the program. It is outside /workspace, whose changed files are listed and verified. */
const FOLDER = '/home/user/.drydock';
const INSTRUCTION_FILE = `${FOLDER}/instruction.md`;
const SYSTEM_FILE = `${FOLDER}/system.md`;

/** Starts the program once, apart from the command that starts it: a repeated start finds that it was started. */
const START = `cd /workspace && { [ -e "$1/started" ] || { : > "$1/started" &&
  { setsid bash -c 'bash -c "$2" </dev/null >"$1/stdout" 2>"$1/stderr"; echo $? >"$1/exit.part"; mv "$1/exit.part" "$1/exit"' agent "$1" "$2" </dev/null >/dev/null 2>&1 & }; }; }`;

/**
 * Waits for the end in the shell itself: a read from a pipe that nothing is written to is a sleep that starts no process. Exits with 3 when
 * the time is up.
 */
const WAIT = `exec 3<> <(:); end=$((SECONDS + $2)); until [ -e "$1/exit" ]; do
  [ $SECONDS -lt $end ] || exit 3; read -r -t 0.1 -u 3; done; head -c 16 "$1/exit"`;

const WAIT_SECONDS = 5;
const STILL_RUNS = 3;
const NOT_FOUND = 127;
const UNKNOWN = 255;
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_ERROR_BYTES = 2_000;

export async function runCommandAgent(
  context: ItemContext,
  attempt: Attempt,
  sandbox: EphemeralSandbox,
  agent: CommandAgent,
): Promise<AgentResult> {
  if (!(await isStarted(context, sandbox))) await writeInstruction(context, sandbox);
  await sandbox.exec(['bash', '-c', START, 'bash', FOLDER, agent.command], {
    cwd: '/',
    env: toEnvironment(context, agent),
  });
  const end = await waitForEnd(context, attempt, sandbox);
  return toResult(context, attempt, sandbox, end);
}

/** The last worker may have been killed after it stored that the agent runs, and before it started the program. */
async function isStarted({ item }: ItemContext, sandbox: EphemeralSandbox): Promise<boolean> {
  if (item.status !== 'agent_running') return false;
  const { exitCode } = await sandbox.exec(['test', '-e', `${FOLDER}/started`], { cwd: '/' });
  return exitCode === 0;
}

/**
 * Installs the program before the time limit of the agent begins.
 * @throws {SetupFailed}
 */
export async function setUpAgent(
  context: ItemContext,
  sandbox: EphemeralSandbox,
  agent: CommandAgent,
): Promise<void> {
  if (agent.setup) await runSetup(sandbox, 'agent', agent.setup, agent.env, context.signal);
}

async function writeInstruction({ item }: ItemContext, sandbox: EphemeralSandbox): Promise<void> {
  const system = item.details?.system ?? item.system;
  await putFiles(sandbox, [
    textFile(INSTRUCTION_FILE, item.details?.instruction ?? item.input ?? ''),
    ...(system ? [textFile(SYSTEM_FILE, system)] : []),
  ]);
}

function toEnvironment({ item, evaluation: { model } }: ItemContext, { env }: CommandAgent) {
  const hasSystem = Boolean(item.details?.system ?? item.system);
  return {
    DRYDOCK_INSTRUCTION_FILE: INSTRUCTION_FILE,
    DRYDOCK_MODEL: model,
    ...(hasSystem && { DRYDOCK_SYSTEM_FILE: SYSTEM_FILE }),
    ...env,
  };
}

/** The exit code of the program, or the limit that it has reached. */
type End = { readonly exitCode: number } | { readonly limit: AgentResult['stopReason'] };

/** Looks at the limits every few seconds: turns, tokens and cost are known from the calls that were recorded. */
async function waitForEnd(context: ItemContext, attempt: Attempt, sandbox: EphemeralSandbox): Promise<End> {
  const { signal, item } = context;
  // Time in which no worker had the sample counts as well: the program has worked on.
  const startedAt = item.status === 'agent_running' ? Date.parse(item.agent_started_at ?? '') : Date.now();
  const deadline = startedAt + timeoutOf(context) * 1_000;
  for (;;) {
    signal.throwIfAborted();
    const seconds = Math.max(0, Math.min(WAIT_SECONDS, Math.ceil((deadline - Date.now()) / 1_000)));
    const { exitCode, stdout } = await sandbox.exec(['bash', '-c', WAIT, 'bash', FOLDER, String(seconds)], {
      cwd: '/',
      timeoutSeconds: WAIT_SECONDS + 60,
      signal,
    });
    if (exitCode === 0) return { exitCode: toExitCode(stdout) };
    // The program may have ended the process that waits for it.
    if (exitCode !== STILL_RUNS) await sleep(1_000, undefined, { signal }).catch(() => undefined);
    const limit = await findLimit(context, attempt);
    if (limit) return { limit };
    if (Date.now() >= deadline) return { limit: 'timeout' };
  }
}

/** The program can write the file itself, and what it writes need not be a number. */
function toExitCode(text: string): number {
  const code = Number.parseInt(text, 10);
  return Number.isNaN(code) ? UNKNOWN : code;
}

async function findLimit(
  { tools, organizationId, evaluation }: ItemContext,
  { id }: Attempt,
): Promise<AgentResult['stopReason'] | undefined> {
  const { max_turns, max_output_tokens, max_cost_usd } = evaluation.request.limits;
  const main = await findMainConversation(tools.db, organizationId, id);
  if ((main?.turns ?? 0) >= max_turns) return 'max_turns';
  const totals = await getGroupTotals(tools.db, organizationId, id);
  if (max_output_tokens && totals.output_tokens >= max_output_tokens) return 'output_tokens';
  return max_cost_usd && totals.cost_usd >= max_cost_usd ? 'cost' : undefined;
}

async function toResult(
  context: ItemContext,
  attempt: Attempt,
  sandbox: EphemeralSandbox,
  end: End,
): Promise<AgentResult> {
  const { tools, organizationId } = context;
  const main = await findMainConversation(tools.db, organizationId, attempt.id);
  const stdout = (await readTail(sandbox, 'stdout', MAX_ANSWER_BYTES)).trim();
  const result = { answer: main?.answer || stdout, turns: main?.turns ?? 0 };
  if ('limit' in end) return { stopReason: end.limit, ...result };
  if (end.exitCode === 0) return { stopReason: 'finished', ...result };
  // An agent that is refused more calls usually fails.
  const limit = await findLimit(context, attempt);
  if (limit) return { stopReason: limit, ...result };
  const stderr = (await readTail(sandbox, 'stderr', MAX_ERROR_BYTES)).trim();
  const output = [stderr, stdout.slice(-MAX_ERROR_BYTES)].filter(Boolean).join('\n');
  return { stopReason: 'error', ...result, error: describeExit(end.exitCode, output) };
}

function describeExit(code: number, output: string): string {
  const what =
    code === NOT_FOUND
      ? `The agent's program was not found (exit code ${NOT_FOUND}). Install it with "setup", on the host, or in the image of its containers`
      : `The agent's program ended with exit code ${code}`;
  return output ? `${what}: ${output}` : `${what}.`;
}

/** The program may have put a pipe or a device in the place of its output, which would be read for ever. */
const READ_TAIL = '[ ! -f "$1" ] || tail -c "$2" "$1"';
const READ_SECONDS = 30;

async function readTail(sandbox: EphemeralSandbox, name: string, bytes: number): Promise<string> {
  const { stdout } = await sandbox.exec(
    ['bash', '-c', READ_TAIL, 'bash', `${FOLDER}/${name}`, String(bytes)],
    { cwd: '/', maxBytes: bytes + 1_024, timeoutSeconds: READ_SECONDS },
  );
  return toStorableText(stdout);
}
