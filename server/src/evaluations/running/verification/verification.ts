/**
 * Verifies the work of an agent, after its sandbox has ended, in a second sandbox that takes over /workspace. Nothing else of the
 * agent's is there: no process, no file outside of /workspace, no environment.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError } from '../../../platform/errors.ts';
import { type TarFile, writeTar } from '../../../platform/tar.ts';
import type { EphemeralSandbox } from '../../../runtimes/service.ts';
import type { VerificationOf } from '../../schema.ts';
import type { ItemContext } from '../context.ts';
import { withSampleSandbox } from '../sample-sandbox.ts';
import {
  readBundle,
  SetupFailed,
  textFile,
  verificationConfig,
  verificationTimeoutOf,
} from '../task-sandbox.ts';
import { MAX_REWARD_BYTES, parseReward, type Reward } from './reward.ts';

export interface Verdict {
  readonly passed: boolean;
  readonly score: number;
  readonly metrics: Reward['metrics'];
  readonly verification: VerificationOf | null;
  /** The cost of model calls that the verification made. */
  readonly costUsd?: number;
  /** Set when the verification itself failed: `error_kind` is `verifier`. */
  readonly error?: string;
}

const FLAG_FILE = '/workspace/flag.txt';
const MAX_FLAG_BYTES = 65_536;
const MAX_OUTPUT_BYTES = 65_536;
const PREPARE_SECONDS = 60;

/**
 * Makes /workspace safe to look at, and unpacks the files of the verification, which come as an archive on stdin, into the folder `$1`. That is
 * made here, and cannot be found by listing the one above it.
 *
 * The agent may have closed /workspace or folders in it. A link into /proc or /dev shows a script its own arguments, input or folder instead
 * of a result, so that `grep -q 42 result.txt` finds its own 42. Such links are removed, whatever path they take, unless they end in
 * /workspace or at /dev/null; so are links to the root, which others can take. A link by way of the current folder ends in `$1` here, and is
 * removed.
 */
const PREPARE = `
chmod u+rwx /workspace && mkdir -p "$1" && cd "$1" && chmod 111 .. || exit 1
find /workspace -type d ! -perm -u=rx -exec chmod u+rx {} \\; 2>/dev/null
remove='{ rm -f -- "$link" || { chmod u+w "\${link%/*}" && rm -f -- "$link"; }; }'
find /workspace -type l \\( -lname '*/proc' -o -lname '*/proc/*' -o -lname '*/dev' -o -lname '*/dev/*' \\) -exec sh -c '
  for link do
    case $(readlink -m -- "$link") in /workspace/*|/dev/null) ;; *) '"$remove"' ;; esac
  done' sh {} + 2>/dev/null
find /workspace -type l -lname '*[./]' -exec sh -c '
  for link do [ "$link" -ef / ] && '"$remove"'; done' sh {} + 2>/dev/null
tar --extract --file=- --no-same-owner || exit 1
chmod -R a-w task answer.txt 2>/dev/null
exit 0
`;

/** @returns the verdict where the answer alone decides; undefined where /workspace has to be examined in a sandbox */
export function judgeAnswer({ item }: ItemContext, answer: string): Verdict | undefined {
  const verification = item.details?.verification;
  if (!verification || verification.method === 'script' || verification.method === 'resists_attack')
    return undefined;
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

interface Progress {
  /** Called with the id of the sandbox before anything runs in it. */
  readonly onStart: (sandboxId: string) => Promise<void>;
  /** Called before the sandbox is removed. */
  readonly onVerdict: (verdict: Verdict) => Promise<void>;
}

export function verifyInSandbox(
  context: ItemContext,
  { workspaceFrom, answer }: { readonly workspaceFrom: string; readonly answer: string },
  { onStart, onVerdict }: Progress,
): Promise<void> {
  const opened = { config: verificationConfig(context), workspaceFrom };
  return withSampleSandbox(context, opened, async (sandbox) => {
    await onStart(sandbox.id);
    await onVerdict(await examine(context, sandbox, answer));
  });
}

async function examine(context: ItemContext, sandbox: EphemeralSandbox, answer: string): Promise<Verdict> {
  // No link that the agent left in /workspace leads to a folder whose name it cannot know.
  const folder = `/opt/drydock/${randomBytes(16).toString('hex')}`;
  const verification = context.item.details?.verification;
  const isScript = verification?.method === 'script';
  const problem = await prepare(sandbox, folder, isScript ? toFiles(context, answer) : []);
  if (problem !== undefined) return { ...verdict(false), error: problem };
  if (isScript) return runScript(context, sandbox, { folder, script: verification.script });
  if (verification?.method !== 'flag') throw new Error('only scripts and flags are verified in a sandbox');
  return verdict(await hasFlag(sandbox, verification.hash));
}

async function* toFiles(context: ItemContext, answer: string): AsyncGenerator<TarFile> {
  yield textFile('answer.txt', answer);
  yield* readBundle(context, (path) => [`task/${path}`]);
}

/**
 * @returns a sentence that says why /workspace cannot be verified, when the agent caused that.
 * @throws {SetupFailed}
 */
async function prepare(
  sandbox: EphemeralSandbox,
  folder: string,
  files: Iterable<TarFile> | AsyncIterable<TarFile>,
): Promise<string | undefined> {
  const { exitCode, stderr, timedOut } = await sandbox.exec(['sh', '-c', PREPARE, 'sh', folder], {
    cwd: '/',
    stdin: Readable.from(writeTar(files), { objectMode: false }),
    timeoutSeconds: PREPARE_SECONDS,
  });
  if (timedOut)
    return `/workspace has so many links or closed folders that it could not be examined within ${PREPARE_SECONDS} s.`;
  if (exitCode !== 0) throw new SetupFailed(`The verification could not be prepared: ${stderr.trim()}`);
  return undefined;
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
  { folder, script }: { readonly folder: string; readonly script: string },
): Promise<Verdict> {
  const taskDir = `${folder}/task`;
  const answerFile = `${folder}/answer.txt`;
  const rewardFile = `${folder}/reward.txt`;
  const seconds = verificationTimeoutOf(context);
  const { exitCode, stdout, stderr, timedOut, durationMs } = await sandbox.exec(
    ['bash', `${taskDir}/${script}`],
    {
      cwd: '/workspace',
      env: { DRYDOCK_TASK_DIR: taskDir, DRYDOCK_ANSWER_FILE: answerFile, DRYDOCK_REWARD_FILE: rewardFile },
      timeoutSeconds: seconds,
      maxBytes: MAX_OUTPUT_BYTES,
    },
  );
  const verification = { exit_code: timedOut ? null : exitCode, stdout, stderr, duration_ms: durationMs };
  if (timedOut)
    return { ...verdict(false), verification, error: `The verification took longer than ${seconds} s.` };
  const passed = exitCode === 0;
  const reward = await readReward(sandbox, rewardFile);
  if (typeof reward === 'string') return { ...verdict(false), verification, error: reward };
  return { ...verdict(passed), verification, ...reward };
}

/** @returns the reward, undefined where the script left none, or a sentence that says what is wrong with it */
async function readReward(sandbox: EphemeralSandbox, file: string): Promise<Reward | string | undefined> {
  const command = `if [ -e "$1" ] || [ -L "$1" ]; then head -c ${MAX_REWARD_BYTES + 1} -- "$1"; else exit 9; fi`;
  const { exitCode, stdout } = await sandbox.exec(['sh', '-c', command, 'sh', file], {
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
