/** Determines the next response of a script from the conversation alone, so that no server keeps state. */
import type { ChatMessage } from '../chat-model.ts';
import { textOf } from './conversation.ts';
import { refuse } from './plan.ts';
import type { Script, ScriptedAnswer, ScriptedStep } from './script.ts';

export interface Due {
  readonly answer: ScriptedAnswer;
  /** Number of earlier responses. */
  readonly position: number;
}

/** Returns undefined at the end of the script. */
export function findDue(script: Script): Due | undefined {
  const { conversation } = script;
  let step = 0;
  let position = 0;
  for (const [index, { role }] of conversation.entries()) {
    if (role !== 'assistant') continue;
    step = nextStep(script, step, conversation[index - 1]);
    position++;
  }
  const due = script.steps[step];
  return due && { answer: getAnswer(due, conversation.at(-1), step), position };
}

/** Returns the step after the one that produced the previous response. */
function nextStep({ steps, labels, after }: Script, index: number, before: ChatMessage | undefined): number {
  const step = steps[index];
  const target = step && findAnswer(step, before)?.goto;
  // Scripts with missing labels were refused before.
  const next = target === undefined ? index + 1 : (labels.get(target) ?? 0);
  if (next < steps.length) return next;
  if (after === 'repeat') return steps.length - 1;
  return after === 'restart' ? 0 : steps.length;
}

function findAnswer(step: ScriptedStep, last: ChatMessage | undefined): ScriptedAnswer | undefined {
  const text = textOf(last);
  const found = step.when?.find(
    ({ contains = '', role }) => (role === undefined || role === last?.role) && text.includes(contains),
  );
  if (found) return found;
  const { say, reasoning, call, error } = step;
  return [say, reasoning, call, error].every((part) => part === undefined) ? undefined : step;
}

function getAnswer(step: ScriptedStep, last: ChatMessage | undefined, index: number): ScriptedAnswer {
  const answer = findAnswer(step, last);
  if (answer) return answer;
  throw refuse(
    `No case of the script's step ${index + 1} fits the last message, and the step has no answer of its own: ` +
      'add a "say" or a "call" beside its "when".',
  );
}
