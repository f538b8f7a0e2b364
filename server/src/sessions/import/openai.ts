/** Reads Chat Completions documents: `{messages, tools?, metadata?}`, or a bare list of messages. */
import { z } from 'zod';
import { isUuid } from '../../platform/fields.ts';
import { toStorable, toStorableText } from '../../platform/storable-text.ts';
import { Agent, Labels, Model, SAVED_ORIGINS, Title } from '../schema.ts';
import { isGiven, isJsonObject, type JsonObject } from '../trajectory/atif-schema.ts';
import { Integers, listOf } from '../trajectory/lists.ts';
import { OPENAI } from '../trajectory/openai.ts';
import { DocumentCheck } from './document-check.ts';
import type { ImportedMessage, ImportedSession } from './imported-session.ts';

const Text = z.string().transform(toStorableText);
const Anything = z.unknown().transform((value) => toStorable(value));
/** Not a zod record, which would drop a key named `__proto__`. */
const AnyObject = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .transform((value) => toStorable(value));

const Part = z.looseObject({ type: z.string() }).transform((part) => toStorable(part));

/** The text that the model wrote; some tools write the object itself. */
const Arguments = z.union([Text, AnyObject.transform((value) => JSON.stringify(value))]);

const ChatFunction = z.looseObject({ name: z.string(), arguments: Arguments });

const ChatToolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').optional(),
  function: ChatFunction,
});

export const ChatMessage = z
  .object({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z.union([Text, listOf(Part)]).nullish(),
    tool_calls: listOf(ChatToolCall).nullish(),
    tool_call_id: z.string().nullish(),
    function_call: ChatFunction.nullish().describe('What tool calls were before there were several'),
  })
  .catchall(Anything);

type ChatMessageOf = z.output<typeof ChatMessage>;

/** Everything except the messages, whose number is unlimited. */
const DocumentFrame = z
  .object({
    messages: z.array(z.unknown()),
    tools: z.array(Anything).nullish(),
    metadata: AnyObject.nullish(),
  })
  .catchall(Anything);

type FrameOf = Partial<z.output<typeof DocumentFrame>>;

/** Session fields in the metadata, as our exports write them; a value of another shape is not ours and stays in the metadata. */
const KNOWN_METADATA = {
  title: Title.nullable(),
  model: Model.nullable(),
  agent: Agent.nullable(),
  labels: Labels.nullable(),
  origin: z.enum(SAVED_ORIGINS),
};

/** Validation errors name the path in the document, which is the request body. */
export async function readOpenai(document: unknown): Promise<ImportedSession> {
  const check = new DocumentCheck();
  const isBare = Array.isArray(document);
  const frame: FrameOf = isBare ? { messages: document } : (check.read(DocumentFrame, document, []) ?? {});
  const messages: ChatMessageOf[] = [];
  for (const [index, given] of (frame.messages ?? []).entries()) {
    const message = check.read(ChatMessage, given, isBare ? [index] : ['messages', index]);
    if (message) messages.push(message);
    await check.pause();
  }
  check.finish();
  return toSession(frame, messages);
}

function toSession(frame: FrameOf, given: readonly ChatMessageOf[]): ImportedSession {
  const { messages: _, tools, metadata, ...document } = frame;
  const { session_id, system_prompts, compactions, ...others } = metadata ?? {};
  const { known, rest } = splitMetadata(others);
  const model = known.model ?? Model.catch('unknown').parse(document['model']);
  const hints = { model, system_prompts: toPlaces(system_prompts), compactions: toPlaces(compactions) };
  const { prompt, ...transcript } = toTranscript(given, hints);
  return {
    id: typeof session_id === 'string' && isUuid(session_id) ? session_id.toLowerCase() : undefined,
    title: known.title ?? null,
    model,
    agent: known.agent ?? null,
    labels: known.labels ?? undefined,
    origin: known.origin,
    tools: tools ?? null,
    imported: { [OPENAI]: { metadata: rest, document, ...(prompt && { prompt }) } },
    ...transcript,
  };
}

type KnownMetadata = {
  -readonly [Key in keyof typeof KNOWN_METADATA]?: z.output<(typeof KNOWN_METADATA)[Key]>;
};

function splitMetadata(metadata: JsonObject): { known: KnownMetadata; rest: JsonObject } {
  const isKnown = ([key, value]: [string, unknown]) =>
    Object.hasOwn(KNOWN_METADATA, key) && KNOWN_METADATA[key as keyof KnownMetadata].safeParse(value).success;
  const known = Object.entries(metadata).filter(isKnown);
  const rest = Object.entries(metadata).filter((entry) => !isKnown(entry));
  const read = known.map(([key, value]) => [key, KNOWN_METADATA[key as keyof KnownMetadata].parse(value)]);
  return { known: Object.fromEntries(read), rest: Object.fromEntries(rest) };
}

/** Reads sequence numbers from our marks; values of any other shape are ignored. */
const toPlaces = (given: unknown) => Integers.safeParse(given).data;

/** The first prompt, if its message has more than its text: an export returns the rest. */
export interface ImportedPrompt {
  readonly content: string;
  readonly message: unknown;
}

interface TranscriptHints {
  readonly model: string;
  readonly system_prompts: readonly number[] | undefined;
  readonly compactions: readonly number[] | undefined;
}

/** Splits messages into prompts and transcript. If no marks name the system prompts, a first message that can be one is one. */
function toTranscript(
  given: readonly ChatMessageOf[],
  { model, system_prompts = [0], compactions: summaryPlaces = [] }: TranscriptHints,
): Pick<ImportedSession, 'messages' | 'prompts' | 'compactions'> & { prompt?: ImportedPrompt } {
  const promptPlaces = new Set(system_prompts);
  const summaries = new Set(summaryPlaces);
  const messages: ImportedMessage[] = [];
  const prompts: { from_seq: number; content: string }[] = [];
  const compactions: { up_to_seq: number; summary_seq: number }[] = [];
  const functionCalls = new Map<string, string>();
  let prompt: ImportedPrompt | undefined;
  for (const [place, chat] of given.entries()) {
    const message = toMessage(chat, model, functionCalls, place);
    // If two prompts are adjacent, the first one never applied.
    if (promptPlaces.has(place) && !promptPlaces.has(place + 1) && canBePrompt(message, place)) {
      const { content, metadata } = message;
      prompts.push({ from_seq: messages.length + 1, content });
      if (metadata) prompt = { content, message: metadata[OPENAI] };
      continue;
    }
    if (summaries.has(place) && messages.length > 0 && canBeSummary(message)) {
      compactions.push({ up_to_seq: messages.length, summary_seq: messages.length + 1 });
    }
    messages.push(message);
  }
  return { messages, prompts, compactions, ...(prompt && { prompt }) };
}

/** Extra members of the message can only be kept for the first prompt. */
const canBePrompt = ({ role, metadata }: ImportedMessage, place: number) =>
  role === 'system' && (place === 0 || !metadata);

const canBeSummary = ({ role, tool_calls }: ImportedMessage) => role !== 'tool' && !tool_calls;

export function toMessage(
  { role, content, tool_calls, tool_call_id, function_call, ...extra }: ChatMessageOf,
  model: string,
  functionCalls: Map<string, string>,
  place: number,
): ImportedMessage {
  const calls: ChatToolCallOf[] = [
    ...(tool_calls ?? []),
    ...(function_call ? [{ id: `call_${place}`, function: function_call }] : []),
  ];
  const callExtras = calls.map(extraOfCall);
  const isSilent = content === null && role === 'assistant' && calls.length === 0;
  const kept = {
    ...extra,
    ...(role === 'developer' && { role }),
    ...(Array.isArray(content) && !isPlainText(content) && { content }),
    ...(isSilent && { content }),
    ...(callExtras.some(Boolean) && { tool_calls: callExtras }),
  };
  if (function_call) functionCalls.set(function_call.name, `call_${place}`);
  const callId = role === 'function' ? functionCalls.get(String(extra.name)) : tool_call_id;
  return {
    role: ROLES[role],
    content: textOf(content),
    ...(calls.length > 0 && { tool_calls: calls.map(toCall) }),
    ...(isGiven(callId) && { tool_call_id: callId }),
    ...(Object.keys(kept).length > 0 && { metadata: { [OPENAI]: kept } }),
    model: role === 'assistant' ? model : null,
  };
}

type ChatToolCallOf = z.output<typeof ChatToolCall>;

const toCall = ({ id, function: called }: ChatToolCallOf) => ({
  id,
  name: called.name,
  arguments: called.arguments,
});

/** Returns the members of a call beyond those that are stored. */
function extraOfCall({
  id: _id,
  type: _type,
  function: called,
  ...extra
}: ChatToolCallOf): JsonObject | null {
  const { name: _name, arguments: _arguments, ...more } = called;
  const isMore = Object.keys(more).length > 0;
  return isMore || Object.keys(extra).length > 0 ? { ...extra, ...(isMore && { function: more }) } : null;
}

const ROLES = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const;

/** Joins the text parts of a content. */
function textOf(content: ChatMessageOf['content']): string {
  if (!Array.isArray(content)) return content ?? '';
  return content
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : []))
    .join('\n');
}

/** Tells whether the parts are one plain text in the form of a list. */
function isPlainText(parts: readonly JsonObject[]): boolean {
  const [part, ...others] = parts;
  return others.length === 0 && typeof part?.['text'] === 'string' && Object.keys(part).length === 2;
}
