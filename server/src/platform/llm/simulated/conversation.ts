/** Reads the texts of a conversation in any of OpenAI's forms. */
import type { ChatMessage, ChatRequest } from '../chat-model.ts';

export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of its arguments. */
  readonly parameters: unknown;
}

/** Returns the text of a message: its content, or that of its text parts. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => fieldOf(part, 'text') ?? [])
    .filter(isText)
    .join('');
}

export const lastTextOf = (messages: readonly ChatMessage[], role: string): string =>
  textOf(messages.findLast((message) => message.role === role));

/** Returns the instructions of a request: the texts of its system and developer messages, one per line. */
export const instructionsOf = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .join('\n');

export const countAnswers = (messages: readonly ChatMessage[]): number =>
  messages.filter(({ role }) => role === 'assistant').length;

/** Returns undefined when the request offers no tools. */
export function findTools({ tools }: ChatRequest): OfferedTool[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  return tools.flatMap((tool: unknown) => {
    const offered = fieldOf(tool, 'function');
    const name = fieldOf(offered, 'name');
    return isText(name) ? { name, parameters: fieldOf(offered, 'parameters') } : [];
  });
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export function toolChoiceOf(request: ChatRequest): ToolChoice {
  const choice = request['tool_choice'];
  if (choice === 'none' || choice === 'required') return choice;
  const name = fieldOf(fieldOf(choice, 'function'), 'name');
  return isText(name) ? { name } : 'auto';
}

/** Returns the field of a value of any type. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
