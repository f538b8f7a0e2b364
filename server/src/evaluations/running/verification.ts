/**
 * Verifies the work of an agent, after its sandbox has ended, in a second sandbox that takes over /workspace. Nothing else of the
 * agent's is there: no process, no file outside of /workspace, no environment.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '../../platform/errors.ts';
import type { EphemeralSandbox } from '../../runtimes/service.ts';
import type { VerificationOf } from '../schema.ts';
import type { ItemContext } from './context.ts';
import { MAX_REWARD_BYTES, parseReward, type Reward } from './reward.ts';
import { putFiles, readBundle, textFile, verificationConfig, verificationTimeoutOf } from './task-sandbox.ts';

export interface Verdict {
  readonly passed: boolean;
  readonly score: number;
  readonly metrics: Reward['metrics'];
  readonly verification: VerificationOf | null;
  /** The verification itself failed, and not the agent. */
  readonly error?: string;
}

/** Below /opt, which belongs to the sandbox of the verification alone. */
const FOLDER = '/opt/drydock';
const TASK_DIR = `${FOLDER}/task`;
const ANSWER_FILE = `${FOLDER}/answer.txt`;
const REWARD_FILE = `${FOLDER}/reward.txt`;
const FLAG_FILE = '/workspace/flag.txt';
const MAX_FLAG_BYTES = 65_536;
const MAX_OUTPUT_BYTES = 65_536;

/** Verdict of a task whose verification needs nothing but the answer; undefined where a sandbox has to look. */
export function judgeAnswer({ item }: ItemContext, answer: string): Verdict | undefined {
  const verification = item.details?.verification;
  if (!verification || verification.method === 'script') return undefined;
  const trimmed = answer.trim();
  if (verification.method === 'flag') return isFlag(trimmed, verification.hash) ? verdict(true) : undefined;
  const { method, expected } = verification;
  return verdict(method === 'exact' ? trimmed === expected.trim() : answer.includes(expected));
}

const verdict = (passed: boolean): Verdict => ({
  passed,
  score: passed ? 1 : 0,
  metrics: null,
  verification: null,
});

const isFlag = (text: string, hash: string) => createHash('sha256').update(text).digest('hex') === hash;

/** @param onStart is told the id of the sandbox before anything runs in it */
export function verifyInSandbox(
  context: ItemContext,
  { workspaceFrom, answer }: { readonly workspaceFrom: string; readonly answer: string },
  signal: AbortSignal,
  onStart: (sandbox: EphemeralSandbox) => Promise<void>,
): Promise<Verdict> {
  const { tools, organizationId, evaluation } = context;
  const owner = { organizationId, workspaceId: evaluation.workspace_id, userId: evaluation.created_by };
  const config = verificationConfig(context);
  const request = {
    owner,
    origin: 'eval',
    config,
    workspaceFrom,
    allowsUnenforcedLimits: true,
    signal,
  } as const;
  return tools.sandboxes.withSandbox(request, async (sandbox) => {
    await onStart(sandbox);
    const verification = context.item.details?.verification;
    if (verification?.method === 'flag') return verdict(await hasFlag(sandbox, verification.hash));
    if (verification?.method !== 'script')
      throw new Error('only scripts and flags are verified in a sandbox');
    return runScript(context, sandbox, verification.script, answer);
  });
}

async function hasFlag(sandbox: EphemeralSandbox, hash: string): Promise<boolean> {
  const content = await sandbox.readFile(FLAG_FILE, { maxBytes: MAX_FLAG_BYTES }).catch((error: unknown) => {
    // A file that is not there, is a folder, or is too large holds no flag.
    if (error instanceof ApiError && error.type !== 'sandbox_provider_error' && error.status < 500)
      return undefined;
    throw error;
  });
  return content !== undefined && isFlag(content.toString('utf8').trim(), hash);
}

async function runScript(
  context: ItemContext,
  sandbox: EphemeralSandbox,
  script: string,
  answer: string,
): Promise<Verdict> {
  await putFiles(
    sandbox,
    readBundle(context, (path) => [`${TASK_DIR}/${path}`]),
  );
  await putFiles(sandbox, [textFile(ANSWER_FILE, answer)]);
  await sandbox.exec(['chmod', '-R', 'a-w', TASK_DIR, ANSWER_FILE], { cwd: '/' });
  const seconds = verificationTimeoutOf(context);
  const { exitCode, stdout, stderr, timedOut, durationMs } = await sandbox.exec(
    ['bash', `${TASK_DIR}/${script}`],
    {
      cwd: '/workspace',
      env: { DRYDOCK_TASK_DIR: TASK_DIR, DRYDOCK_ANSWER_FILE: ANSWER_FILE, DRYDOCK_REWARD_FILE: REWARD_FILE },
      timeoutSeconds: seconds,
      maxBytes: MAX_OUTPUT_BYTES,
    },
  );
  const verification = { exit_code: timedOut ? null : exitCode, stdout, stderr, duration_ms: durationMs };
  if (timedOut)
    return { ...verdict(false), verification, error: `The verification took longer than ${seconds} s.` };
  const passed = exitCode === 0;
  const reward = await readReward(sandbox);
  if (typeof reward === 'string') return { ...verdict(false), verification, error: reward };
  return { ...verdict(passed), verification, ...reward };
}

/** @returns undefined where the script left none, and what is wrong with one that cannot be read */
async function readReward(sandbox: EphemeralSandbox): Promise<Reward | string | undefined> {
  const command = `if [ -e "$1" ] || [ -L "$1" ]; then head -c ${MAX_REWARD_BYTES + 1} -- "$1"; else exit 9; fi`;
  const { exitCode, stdout } = await sandbox.exec(['sh', '-c', command, 'sh', REWARD_FILE], {
    cwd: '/',
    timeoutSeconds: 10,
    maxBytes: MAX_REWARD_BYTES + 1,
  });
  if (exitCode === 9) return undefined;
  if (exitCode !== 0) return 'The reward file cannot be read.';
  if (Buffer.byteLength(stdout) > MAX_REWARD_BYTES)
    return `The reward file holds more than ${MAX_REWARD_BYTES} bytes.`;
  return parseReward(stdout);
}
