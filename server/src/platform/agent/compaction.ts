/** Frees space in a context that is nearly full: a summary replaces the work so far. */
import { cutText } from './cut-text.ts';
import type { AgentMessage, ModelRequest } from './ports.ts';

const NEARLY_FULL = 0.8;
const MAX_MESSAGE_CHARACTERS = 4_000;

const SUMMARY_PROMPT =
  'You summarize the work of an agent, so that it can go on without having read its conversation. State in at most 1,000 words: ' +
  'what was done and found out, with exact paths, names, commands and values; what the state of the files is; what failed and why; ' +
  'and what is left to do. Do not repeat the instruction of the task. Answer with the summary only.';

const HEADER =
  'The conversation so far was too long and has been replaced by this summary of the work that you have done:';

export const isNearlyFull = (contextTokens: number, contextWindow: number): boolean =>
  contextTokens > NEARLY_FULL * contextWindow;

/**
 * Requests a summary in a conversation of its own: the work is shown as text, since providers refuse tool calls in a request without tools.
 * It has at most as many characters as the context has tokens, so that it fits even if the conversation itself did not.
 */
export function toSummaryRequest(messages: readonly AgentMessage[], contextWindow: number): ModelRequest {
  const work = cutText(messages.map(toText).join('\n\n'), contextWindow);
  return {
    messages: [
      { role: 'system', content: SUMMARY_PROMPT },
      { role: 'user', content: `${work}\n\nSummarize the work above.` },
    ],
  };
}

/** The message that begins the new era: the instruction verbatim, then the summary. */
export function toSummaryContent(instruction: string, summary: string): string {
  const text =
    summary.trim() === '' ? 'There is none: look at the files to see what has been done.' : summary;
  return `${instruction}\n\n${HEADER}\n\n${cutText(text)}`;
}

function toText({ role, content, tool_calls }: AgentMessage): string {
  const calls = (tool_calls ?? []).map((call) => `calls ${call.name} ${cut(call.arguments)}`);
  return [`[${role}]`, cut(content), ...calls].filter((line) => line !== '').join('\n');
}

const cut = (text: string) => cutText(text, MAX_MESSAGE_CHARACTERS);

/** Matches the messages of OpenAI, Anthropic, Google and servers such as vLLM, since no error code is common to all of them. */
const OVERFLOW =
  /context.{0,20}(length|window|size|limit)|prompt is too long|too many (input )?tokens|input.{0,40}too long|(token|input|prompt).{0,60}exceed|exceed.{0,60}token|request.{0,20}too large/is;

export const isOverflow = (message: string): boolean => OVERFLOW.test(message);
