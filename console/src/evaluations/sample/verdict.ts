/** Says in a sentence why a sample passed or failed. */
import type { EvaluationItem, TaskDetail } from '@drydock/sdk';
import { formatCountOf } from '../../components/format.ts';
import { ITEM_LABELS } from '../states.ts';

/** What a task says about its verification. */
export interface Verification {
  readonly method: string;
  readonly script: string | undefined;
  readonly expected: string | undefined;
}

export function readVerification(task: TaskDetail | undefined): Verification | undefined {
  const verification = task?.manifest['verification'];
  if (typeof verification !== 'object' || verification === null) return undefined;
  const { method, script, expected } = verification as Record<string, unknown>;
  return {
    method: String(method),
    script: typeof script === 'string' ? script : undefined,
    expected: typeof expected === 'string' || typeof expected === 'number' ? String(expected) : undefined,
  };
}

const MAX_QUOTED = 200;

const shorten = (text: string) => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
const quote = (text: string | null | undefined) => `"${shorten((text ?? '').trim())}"`;
/** Makes a sentence of a text, which may end with the colon before an output that was empty. */
function toSentence(text: string): string {
  const trimmed = text.replace(/[:\s]+$/, '');
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

const RUNNING: Readonly<Partial<Record<EvaluationItem['item_status'], string>>> = {
  queued: 'Queued: it starts when a worker and a sandbox are free.',
  claiming: 'Running: a worker has taken it.',
  provisioning: 'Running: its sandbox is being started.',
  agent_running: 'Running: the agent is working on the task.',
  agent_finished: 'Running: the agent has finished, and its result will be verified.',
  verifying: 'Running: the result is being verified.',
};

export function explain(item: EvaluationItem, verification: Verification | undefined): string {
  const { item_status, error, retry_count } = item;
  const running = RUNNING[item_status];
  if (running)
    return error ? `${running} The previous attempt failed: ${toSentence(decapitalize(error))}` : running;
  if (item_status === 'cancelled') return 'Cancelled: the sample was stopped before it had a result.';
  if (item_status === 'infra_error') {
    const tries = formatCountOf(retry_count + 1, 'attempt');
    return `Could not run after ${tries}: ${toSentence(decapitalize(error ?? 'the cause is not known'))} The agent did not cause this, and it does not count in the pass rate. Fix the cause, then retry.`;
  }
  const checked = describeCheck(item, verification);
  const parts = [...(error ? [error] : []), ...(checked === undefined ? [] : [checked])];
  // The sentence continues after the colon, so it begins with a small letter.
  const text = parts.map((part, index) => (index === 0 ? decapitalize(part) : part)).map(toSentence);
  return `${ITEM_LABELS[item_status]}: ${text.join(' ')}`;
}

const decapitalize = (text: string) => text.replace(/^(The|No|An?)\b/, (word) => word.toLowerCase());

function describeCheck(item: EvaluationItem, verification: Verification | undefined): string | undefined {
  const { verification: result, answer, passed, scores } = item;
  if (result) {
    if (result.exit_code === null) return 'The verification script was stopped';
    const output = passed ? undefined : (lastLine(result.stdout) ?? lastLine(result.stderr));
    const ended = `The verification script ended with exit code ${result.exit_code}`;
    return output === undefined ? ended : `${ended}: ${shorten(output)}`;
  }
  const scored = Object.entries(scores);
  if (scored.length > 0) return describeScores(scored);
  if (verification?.method === 'flag')
    return passed
      ? 'The answer or /workspace/flag.txt is the flag'
      : 'Neither the answer nor /workspace/flag.txt is the flag';
  if (verification?.expected === undefined)
    return passed ? 'The verification accepted the answer' : 'The verification rejected the answer';
  const must = verification.method === 'contains' ? 'contain' : 'be';
  if (passed)
    return `The answer ${verification.method === 'contains' ? 'contains' : 'is'} ${quote(verification.expected)}`;
  return `The answer is ${quote(answer)}, and must ${must} ${quote(verification.expected)}`;
}

function describeScores(scored: readonly (readonly [string, EvaluationItem['scores'][string]])[]): string {
  const failed = scored.filter(([, { passed }]) => passed !== true);
  if (failed.length === 0)
    return scored.length === 1 ? `The scorer ${scored[0]?.[0]} passed` : 'All scorers passed';
  return failed
    .map(
      ([name, { explanation, error }]) => `The scorer ${name} says: ${explanation ?? error ?? 'not passed'}`,
    )
    .join(' ');
}

const lastLine = (text: string): string | undefined =>
  text
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
