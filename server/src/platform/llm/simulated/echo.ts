/** `sim/echo`: repeats the last user message, in the requested form. */
import type { ChatRequest } from '../chat-model.ts';
import {
  countAnswers,
  fieldOf,
  findTools,
  lastTextOf,
  type OfferedTool,
  toolChoiceOf,
} from './conversation.ts';
import { PLAIN, type Plan, refuse } from './plan.ts';
import { sampleOf } from './sample.ts';
import { MAX_OUTPUT_CHARACTERS } from './tokens.ts';

export function planEcho(request: ChatRequest): Plan {
  const text = lastTextOf(request.messages, 'user').slice(0, MAX_OUTPUT_CHARACTERS);
  const tool = findWantedTool(request);
  if (!tool) return { ...PLAIN, content: formatted(text, request['response_format']) };
  const id = `call_${countAnswers(request.messages)}_0`;
  const sample = JSON.stringify(sampleOf(tool.parameters ?? {}, text));
  return { ...PLAIN, calls: [{ id, name: tool.name, arguments: sample }] };
}

/** A tool is only called when the request demands it. */
function findWantedTool(request: ChatRequest): OfferedTool | undefined {
  const choice = toolChoiceOf(request);
  if (choice === 'auto' || choice === 'none') return undefined;
  const tools = findTools(request) ?? [];
  const tool = choice === 'required' ? tools[0] : tools.find(({ name }) => name === choice.name);
  if (!tool)
    throw refuse(
      '"tool_choice" asks for a function that "tools" does not have; add it there, or leave it out.',
    );
  return tool;
}

function formatted(text: string, format: unknown): string {
  const type = fieldOf(format, 'type');
  if (type === 'json_object') return JSON.stringify({ echo: text });
  if (type !== 'json_schema') return text;
  const schema = fieldOf(fieldOf(format, 'json_schema'), 'schema');
  return JSON.stringify(sampleOf(schema ?? {}, text));
}
