/** Tool calls of a model: they are stored in a form that every provider accepts, and run so that each has exactly one result. */
import { toStorableText } from '../storable-text.ts';
import { cutText } from './cut-text.ts';
import type { History } from './history.ts';
import {
  AgentAbort,
  AgentTimeout,
  type AgentTool,
  type AgentToolCall,
  type Fields,
  type ModelResponse,
} from './ports.ts';

/** Limit of the calls that are run in one turn. Models make up to about 20 at once; thousands mean that the model is in an endless loop. */
const MAX_CALLS = 128;
const MAX_ARGUMENT_CHARACTERS = 1_000_000;
const MAX_ID_CHARACTERS = 255;

/** The calls of a response with ids that are unique in the era. Calls beyond the 128th are dropped. */
export function toStoredCalls(
  calls: ModelResponse['toolCalls'],
  { turns, callIds }: History,
  tools: readonly AgentTool[],
): AgentToolCall[] {
  const turn = turns + 1;
  const used = new Set(callIds);
  const offered = new Set(tools.map(({ name }) => name));
  return calls.slice(0, MAX_CALLS).map((call, index) => {
    let id = call.id.length > MAX_ID_CHARACTERS ? '' : toStorableText(call.id);
    for (let copy = 0; id === '' || used.has(id); copy++)
      id = copy === 0 ? `call_${turn}_${index}` : `call_${turn}_${index}_${copy}`;
    used.add(id);
    const name = offered.has(call.name) ? call.name : toName(call.name);
    return { id, name, arguments: call.arguments.slice(0, MAX_ARGUMENT_CHARACTERS) };
  });
}

export const countDropped = (calls: ModelResponse['toolCalls']) => Math.max(0, calls.length - MAX_CALLS);

/** Cleans a name that the model invented: providers refuse a conversation in which the name of a call has other characters. */
const toName = (name: string) => name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';

interface CallOptions {
  readonly tools: readonly AgentTool[];
  readonly signal: AbortSignal;
}

/** Runs the calls of the last turn that have no result yet, one after the other, and stores each result immediately. */
export async function runCalls(history: History, options: CallOptions): Promise<void> {
  const { unanswered, droppedCalls } = history;
  for (const [position, { resultId, call }] of unanswered.entries()) {
    const result = cutText(await resultOf(call, options));
    const isLast = position === unanswered.length - 1;
    const note = `[${droppedCalls} more calls of this turn were not run: at most ${MAX_CALLS} are run in one turn.]`;
    await history.append({
      id: resultId,
      role: 'tool',
      tool_call_id: call.id,
      content: isLast && droppedCalls > 0 ? `${result}\n${note}` : result,
    });
  }
}

async function resultOf(call: AgentToolCall, { tools, signal }: CallOptions): Promise<string> {
  if (isTimeUp(signal)) return 'The time for the task was up before this tool was run.';
  signal.throwIfAborted();
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool)
    return `There is no tool ${call.name}. The tools are: ${tools.map(({ name }) => name).join(', ') || 'none'}.`;
  const args = parseArguments(call, tool);
  if (typeof args === 'string') return args;
  try {
    return await tool.run(args, signal);
  } catch (error) {
    if (isTimeUp(signal)) return 'The time for the task was up before this tool had finished.';
    signal.throwIfAborted();
    if (error instanceof AgentAbort) throw error.cause;
    return `The tool ${call.name} failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @returns the arguments, or a sentence for the model that says what is wrong with them */
function parseArguments(call: AgentToolCall, { parameters }: AgentTool): Fields | string {
  const { name, arguments: text } = call;
  if (text.length >= MAX_ARGUMENT_CHARACTERS)
    return `The arguments of ${name} must have fewer than ${MAX_ARGUMENT_CHARACTERS} characters.`;
  const args = parseObject(text.trim() === '' ? '{}' : text);
  if (!args) return `The arguments of ${name} must be a JSON object.`;
  const { required } = parameters;
  const names = Array.isArray(required) ? required.filter((field) => typeof field === 'string') : [];
  const missing = names.filter((field) => !Object.hasOwn(args, field));
  return missing.length > 0 ? `The arguments of ${name} lack ${missing.join(', ')}.` : args;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export const isTimeUp = (signal: AbortSignal): boolean =>
  signal.aborted && signal.reason instanceof AgentTimeout;
