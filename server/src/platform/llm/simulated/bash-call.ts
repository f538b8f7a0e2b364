/** Calls of the tool `bash` and plain responses, for the simulated models that use a shell. */
import type { ChatRequest } from '../chat-model.ts';
import { countAnswers, findTools, toolChoiceOf } from './conversation.ts';
import { PLAIN, type Plan, refuse } from './plan.ts';
import { MAX_OUTPUT_CHARACTERS } from './tokens.ts';

const TOOL = 'bash';

export function mayCallBash(request: ChatRequest): boolean {
  const choice = toolChoiceOf(request);
  const isOffered = findTools(request)?.some(({ name }) => name === TOOL) ?? false;
  return isOffered && choice !== 'none' && (typeof choice !== 'object' || choice.name === TOOL);
}

export function callBash(request: ChatRequest, command: string): Plan {
  const id = `call_${countAnswers(request.messages)}_0`;
  const text = JSON.stringify({ command: command.slice(0, MAX_OUTPUT_CHARACTERS) });
  return { ...PLAIN, calls: [{ id, name: TOOL, arguments: text }] };
}

/** @param calls when this model calls a tool, as a clause for the error of a `tool_choice` that it cannot follow */
export function say(text: string, request: ChatRequest, calls: string): Plan {
  const choice = toolChoiceOf(request);
  if (choice === 'required' || typeof choice === 'object')
    throw refuse(`"tool_choice" requires a call, and this model ${calls}. Leave "tool_choice" out.`);
  return { ...PLAIN, content: text.slice(0, MAX_OUTPUT_CHARACTERS) };
}
