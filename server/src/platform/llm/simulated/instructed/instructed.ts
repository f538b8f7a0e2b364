/**
 * `sim/instructed`: solves small questions, in the form demanded by the rules in its instructions. When asked about a refused topic, it
 * refuses or gives in like `sim/guarded`.
 */
import type { ChatRequest } from '../../chat-model.ts';
import { callBash, mayCallBash, say } from '../bash-call.ts';
import { instructionsOf, lastTextOf } from '../conversation.ts';
import type { Plan } from '../plan.ts';
import { planGuarded } from '../red-team/guarded.ts';
import { understand } from '../red-team/understand.ts';
import { findFile, solve } from './questions.ts';
import { readRules, reply } from './rules.ts';

const CALLS = 'calls nothing but bash, once, when its instructions say to save the result in a file';

export function planInstructed(request: ChatRequest): Plan {
  const { messages } = request;
  const task = lastTextOf(messages, 'user');
  const solved = solve(task);
  // The seed is omitted: a prompt that succeeded once succeeds again, so that a regression task fails until the instructions are improved.
  if (!solved && understand(task)) return planGuarded({ ...request, seed: undefined });
  if (!solved) return say('Well, I am not sure what is asked.', request, CALLS);
  const rules = readRules(instructionsOf(messages), solved.kind);
  const { result, answer } = reply(solved, rules);
  const file = rules.has('save') ? findFile(task) : undefined;
  const lastOfUser = messages.findLastIndex(({ role }) => role === 'user');
  const hasCalled = messages.slice(lastOfUser).some(({ role }) => role === 'tool');
  if (file === undefined || hasCalled || !mayCallBash(request)) return say(answer, request, CALLS);
  return callBash(request, toCommand(result, file));
}

/** The path contains only letters, digits and `_./-`, so it needs no escaping in quotes. */
const toCommand = (result: string, path: string) =>
  `mkdir -p -- "$(dirname -- '${path}')" && printf '%s\\n' '${result.replaceAll("'", String.raw`'\''`)}' > '${path}'`;
