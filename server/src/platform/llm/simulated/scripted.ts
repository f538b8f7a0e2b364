/** `sim/scripted`: follows the script in the conversation. */
import { ApiError, type ErrorStatus, type ErrorType } from '../../errors.ts';
import type { ChatMessage, ChatRequest } from '../chat-model.ts';
import { findTools, lastTextOf, toolChoiceOf } from './conversation.ts';
import { type Due, findDue } from './due-response.ts';
import { PLAIN, type Plan, refuse, type ToolCall } from './plan.ts';
import { getScript, type ScriptedAnswer, type ScriptedCall } from './script.ts';
import { MAX_OUTPUT_CHARACTERS } from './tokens.ts';

const TYPE_BY_STATUS: Readonly<Record<ErrorStatus, ErrorType>> = {
  400: 'invalid_error',
  401: 'authentication_error',
  403: 'forbidden_error',
  404: 'not_found_error',
  409: 'conflict_error',
  422: 'validation_error',
  426: 'upgrade_required_error',
  429: 'usage_limit_exceeded_error',
  500: 'server_error',
  502: 'bad_gateway_error',
  504: 'gateway_timeout_error',
};

export function planScripted(request: ChatRequest, retryCount: number): Plan {
  const script = getScript(request.messages);
  const due = findDue(script);
  if (due) return planAnswer(due, script.conversation, request, retryCount);
  if (script.after === 'error')
    throw refuse('The script has come to its end. Give it more steps, or another "after".');
  return { ...PLAIN, content: 'The script has ended.' };
}

function planAnswer(
  { answer, position }: Due,
  conversation: readonly ChatMessage[],
  request: ChatRequest,
  retryCount: number,
): Plan {
  const fill = createFill(conversation);
  const { error, break_off } = answer;
  return {
    reasoning: fill(answer.reasoning ?? ''),
    content: fill(answer.say ?? ''),
    calls: planCalls(answer, request, position, fill),
    finishReason: answer.finish_reason,
    usage: answer.usage,
    error: error && retryCount < (error.times ?? Infinity) ? toError(error) : undefined,
    delayMs: answer.delay_ms,
    chunkSize: answer.chunk_size,
    chunkDelayMs: answer.chunk_delay_ms,
    disconnectAfter: break_off && retryCount < (break_off.times ?? Infinity) ? break_off.after : undefined,
  };
}

function planCalls(
  { call: calls = [] }: ScriptedAnswer,
  request: ChatRequest,
  position: number,
  fill: Fill,
): ToolCall[] {
  const choice = toolChoiceOf(request);
  if (choice === 'none') return [];
  if (choice === 'required' && calls.length === 0)
    throw refuse('"tool_choice" requires a call, and the step of the script that is due has none.');
  if (typeof choice === 'object' && calls.every(({ name }) => name !== choice.name))
    throw refuse(
      `"tool_choice" asks for a call of ${choice.name}, and the step of the script that is due has none.`,
    );
  checkOffered(calls, request);
  const made = calls.map(({ id, name, arguments: given }, index) => ({
    id: id ?? `call_${position}_${index}`,
    name,
    arguments: typeof given === 'string' ? fill(given) : JSON.stringify(fillAll(given, fill)),
  }));
  return request['parallel_tool_calls'] === false ? made.slice(0, 1) : made;
}

function checkOffered(calls: readonly ScriptedCall[], request: ChatRequest): void {
  const tools = findTools(request);
  const strange = calls.find(
    ({ name, is_unoffered }) => tools && !is_unoffered && tools.every((tool) => tool.name !== name),
  );
  if (strange)
    throw refuse(
      `The script calls ${strange.name}, which is not in "tools". Offer it there, or give the call ` +
        '"is_unoffered": true where that is meant.',
    );
}

function toError({ status, type, message, retry_after }: NonNullable<ScriptedAnswer['error']>): ApiError {
  const headers = retry_after === undefined ? {} : { 'Retry-After': String(retry_after) };
  return new ApiError(
    type ?? TYPE_BY_STATUS[status],
    `Simulated: ${message ?? `the script says to fail with ${status}.`}`,
    { headers },
  );
}

type Fill = (text: string) => string;

const PLACEHOLDER = /(\{\{(?:last_user_message|last_tool_result)\}\})/;

/** Inserts parts of the conversation, limited to the maximum output in total, since a script may insert a long message many times. */
function createFill(messages: readonly ChatMessage[]): Fill {
  const values = new Map([
    ['{{last_user_message}}', lastTextOf(messages, 'user')],
    ['{{last_tool_result}}', lastTextOf(messages, 'tool')],
  ]);
  let left = MAX_OUTPUT_CHARACTERS;
  return (text) =>
    text
      .split(PLACEHOLDER)
      .map((part) => {
        const piece = (values.get(part) ?? part).slice(0, left);
        left -= piece.length;
        return piece;
      })
      .join('');
}

function fillAll(value: unknown, fill: Fill): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillAll(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]));
}
