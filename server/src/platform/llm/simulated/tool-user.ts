/**
 * `sim/tool-user`: runs the first shell block of its instruction with the tool `bash`, and answers with the last line of the output.
 * `sim/noisy-tool-user`: the same, with mistakes in 30 % of the samples.
 */
import { createHash } from 'node:crypto';
import { toNumber } from '../../json.ts';
import type { ChatRequest } from '../chat-model.ts';
import { callBash, mayCallBash, say } from './bash-call.ts';
import { textOf } from './conversation.ts';
import type { Plan } from './plan.ts';

const SHELLS = new Set(['', 'sh', 'bash', 'shell']);
/** Share of samples with each of the two kinds of mistakes. */
const SHARE_WITHOUT_RUN = 0.15;
const SHARE_WITH_WRONG_LINE = 0.15;

export function planToolUser(request: ChatRequest): Plan {
  const output = findOutput(request);
  if (output !== undefined) return answer(lastLineOf(output), request);
  return planCall(request) ?? answer(lastLineOf(instructionOf(request)), request);
}

export function planNoisyToolUser(request: ChatRequest): Plan {
  const position = positionOf(request);
  if (position < SHARE_WITHOUT_RUN) return answer('Done.', request);
  const output = findOutput(request);
  const isWrong = position < SHARE_WITHOUT_RUN + SHARE_WITH_WRONG_LINE;
  return isWrong && output !== undefined ? answer(wrongLineOf(output), request) : planToolUser(request);
}

/** Returns undefined until there is a tool result. */
function findOutput({ messages }: ChatRequest): string | undefined {
  const result = messages.findLast(({ role }) => role === 'tool');
  return result && textOf(result);
}

const instructionOf = ({ messages }: ChatRequest) => textOf(messages.find(({ role }) => role === 'user'));

function planCall(request: ChatRequest): Plan | undefined {
  const command = mayCallBash(request) ? findShellBlock(instructionOf(request)) : undefined;
  return command === undefined ? undefined : callBash(request, command);
}

const answer = (text: string, request: ChatRequest) =>
  say(text, request, 'calls nothing but bash, once, when its first user message has a shell block');

/** Finds the first fenced block labelled as shell or without a label. Blocks in other languages are skipped as a whole. */
function findShellBlock(text: string): string | undefined {
  let open: { readonly fence: string; readonly isShell: boolean } | undefined;
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, fence = '', label = ''] = /^ {0,3}(`{3,})([^`]*)$/.exec(line) ?? [];
    if (open && label.trim() === '' && fence.length >= open.fence.length) {
      if (open.isShell) return lines.join('\n');
      open = undefined;
    } else if (open) {
      lines.push(line);
    } else if (fence !== '') {
      open = { fence, isShell: SHELLS.has(label.trim().toLowerCase()) };
      lines = [];
    }
  }
  return undefined;
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const lastLineOf = (text: string) => linesOf(text).at(-1) ?? '';

/** Returns the first line, or a phrase when the first is the last. */
function wrongLineOf(output: string): string {
  const [first = '', ...rest] = linesOf(output);
  return rest.length > 0 && first !== rest.at(-1) ? first : 'I could not find out.';
}

/** Returns an evenly distributed number from 0 to 1, deterministic for the same seed and instruction. */
function positionOf(request: ChatRequest): number {
  const { seed } = request;
  const text = typeof toNumber(seed) === 'number' ? JSON.stringify(seed) : '';
  const hash = createHash('sha256')
    .update(`${text}\n${instructionOf(request)}`)
    .digest();
  return hash.readUInt32BE(0) / 2 ** 32;
}
