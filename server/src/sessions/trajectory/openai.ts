/** Writes trajectories as Chat Completions: `{messages, tools, metadata}`, with a result for every tool call. */
import type { StoredMessageOf } from '../transcript/schema.ts';
import { isGiven } from './atif-schema.ts';
import { writeArray, writeObject } from './json-stream.ts';
import type { TrajectorySource } from './source.ts';
import type { Turn } from './turns.ts';

/** Key under which messages and sessions keep members that only this format has. */
export const OPENAI = 'openai';

interface ChatMessage extends Record<string, unknown> {
  readonly role: StoredMessageOf['role'] | 'developer';
  readonly content: unknown;
}

/** Sequence numbers of messages that represent what Chat Completions cannot express; an import uses them to restore it. */
interface Marks {
  readonly system_prompts: number[];
  readonly compactions: number[];
}

type ToolCall = NonNullable<StoredMessageOf['tool_calls']>[number];

const NO_RESULT = '[no result]';

/** Members of a message that come from our fields, whatever an imported document had there. */
const OWN_KEYS = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'function_call']);

export function writeOpenai(source: TrajectorySource, turns: AsyncIterable<Turn>): AsyncIterable<string> {
  const marks: Marks = { system_prompts: [], compactions: [] };
  const kept = asObject(source.imported?.[OPENAI]);
  return writeObject({
    messages: writeArray(toMessages(turns, marks, asObject(kept.prompt))),
    tools: source.tools ?? [],
    // Written last, because only then the marks are complete.
    metadata: () => ({ ...describe(source), ...marks, ...asObject(kept.metadata) }),
    ...asObject(kept.document),
  });
}

function describe({ session }: TrajectorySource) {
  return {
    session_id: session.id,
    title: session.title,
    model: session.model,
    agent: session.agent,
    origin: session.origin,
    labels: session.labels,
    created_at: session.created_at,
  };
}

async function* toMessages(
  turns: AsyncIterable<Turn>,
  marks: Marks,
  prompt: Record<string, unknown>,
): AsyncIterable<ChatMessage> {
  let count = 0;
  for await (const turn of turns) {
    const isKnown = turn.kind === 'prompt' && count === 0 && turn.content === prompt.content;
    if (turn.kind === 'prompt') marks.system_prompts.push(count);
    // A summary that replaces none of the exported messages is an ordinary message.
    if (turn.kind === 'compaction' && count > marks.system_prompts.length) marks.compactions.push(count);
    for (const message of isKnown ? [toPrompt(turn.content, prompt.message)] : toChat(turn)) {
      yield message;
      count++;
    }
  }
}

/** Returns the prompt as the imported document had it. */
const toPrompt = (content: string, original: unknown) =>
  toPlain({ role: 'system', content, metadata: { [OPENAI]: original } });

function toChat(turn: Turn): ChatMessage[] {
  if (turn.kind === 'prompt') return [{ role: 'system', content: turn.content }];
  if (turn.kind === 'orphan') return [toOrphan(turn.message)];
  if (turn.kind === 'compaction') return [toPlain(turn.summary)];
  const { message, results } = turn;
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  if (calls.length === 0) return [toPlain(message)];
  const { content, ...rest } = toPlain(message);
  const extras = callExtrasOf(message);
  const tool_calls = calls.map((call, index) => toChatCall(call, asObject(extras[index])));
  const asking = { ...rest, content: content === '' ? null : content, tool_calls };
  return [asking, ...toToolMessages(calls, results)];
}

/** Chat Completions do not accept a tool message without its call. */
function toPlain(message: Kept): ChatMessage {
  const { content = message.content, ...extra } = extraOf(message);
  const isDeveloper = message.role === 'system' && keptOf(message).role === 'developer';
  const role = message.role === 'tool' ? 'user' : message.role;
  return { role: isDeveloper ? 'developer' : role, content, ...extra };
}

function toOrphan(message: StoredMessageOf): ChatMessage {
  const call =
    message.tool_call_id === null ? 'an unknown call' : `call ${JSON.stringify(message.tool_call_id)}`;
  return { role: 'user', content: `[result of ${call}]\n${message.content}` };
}

const toChatCall = ({ id, name, arguments: text }: ToolCall, extra: Record<string, unknown>) => ({
  ...extra,
  id,
  type: 'function',
  function: { ...asObject(extra.function), name, arguments: text },
});

/** Returns one result per call. Of calls with equal ids, each takes one result and the last takes the rest. */
function toToolMessages(calls: readonly ToolCall[], results: readonly StoredMessageOf[]): ChatMessage[] {
  const left = new Map<string, number>();
  for (const { id } of calls) left.set(id, (left.get(id) ?? 0) + 1);
  const open = Map.groupBy(results, ({ tool_call_id }) => tool_call_id);
  return calls.map(({ id }) => {
    const count = left.get(id) ?? 1;
    left.set(id, count - 1);
    const waiting = open.get(id) ?? [];
    return toToolMessage(id, waiting.splice(0, count === 1 ? waiting.length : 1));
  });
}

function toToolMessage(id: string, results: readonly StoredMessageOf[]): ChatMessage {
  const [first, ...others] = results;
  const message = { role: 'tool', tool_call_id: id } as const;
  if (!first) return { ...message, content: NO_RESULT };
  if (others.length > 0) return { ...message, content: results.map(({ content }) => content).join('\n') };
  const { content = first.content, ...extra } = extraOf(first);
  return { ...message, content, ...extra };
}

type Kept = Pick<StoredMessageOf, 'role' | 'content' | 'metadata'>;

const keptOf = ({ metadata }: Pick<Kept, 'metadata'>) => asObject(metadata?.[OPENAI]);

/** Returns the extra members of an imported message: names, and contents that are not plain text. */
function extraOf(message: Kept): { readonly content?: unknown[] | null } & Record<string, unknown> {
  const kept = keptOf(message);
  const { content, refusal, audio } = kept;
  const extra = Object.entries(kept).filter(([key]) => !OWN_KEYS.has(key));
  // Null is valid only if the message has something else.
  const isNone = content === null && message.role === 'assistant' && (isGiven(refusal) || isGiven(audio));
  return { ...Object.fromEntries(extra), ...((Array.isArray(content) || isNone) && { content }) };
}

/** Returns the extra members of the message's calls. */
function callExtrasOf(message: StoredMessageOf): readonly unknown[] {
  const { tool_calls } = keptOf(message);
  return Array.isArray(tool_calls) ? tool_calls : [];
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
