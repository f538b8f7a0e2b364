/** Request and response schemas of messages. */
import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';
import { countedFirst, listOf } from '../../platform/http/requests/lists.ts';
import { toStorable, toStorableText } from '../../platform/storable-text.ts';
import { Agent, Model, SessionResponse } from '../schema.ts';

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;

/** Accepts any text, because agents append whatever their tools print. */
const Content = z.string().transform(toStorableText);
const MAX_CALLS = 1_000;
const MessageId = z.string().min(1).max(255);
/** Bounded, so that sums over millions of messages are exact in JSON. */
export const MAX_TOKENS = 1_000_000_000;
const Tokens = z.int().min(0).max(MAX_TOKENS);

export const ToolCall = z
  .object({
    id: z.string().min(1),
    name: z.string(),
    arguments: Content.describe('What the model wrote: JSON, as a rule'),
  })
  .meta({ id: 'ToolCall' });

export const MessageUsage = z
  .object({
    input_tokens: Tokens.describe('Without what was read from a cache or written to it'),
    output_tokens: Tokens,
    cache_read_input_tokens: Tokens.default(0),
    cache_creation_input_tokens: Tokens.default(0),
    cost_usd: z.number().min(0).max(1_000_000_000).nullish(),
  })
  .meta({ id: 'MessageUsage' });

export const Message = z
  .object({
    id: MessageId.nullish().describe('Made here when absent; one that is known is not stored twice'),
    parent_id: MessageId.nullish(),
    role: z.enum(ROLES),
    content: Content,
    tool_calls: listOf(ToolCall, MAX_CALLS).nullish(),
    tool_call_id: z.string().min(1).nullish().describe('Of a tool: the call that this answers'),
    metadata: z
      .record(z.string(), z.unknown())
      .transform((metadata) => toStorable(metadata))
      .nullish(),
    usage: MessageUsage.nullish().describe('Of what the model was asked for this message'),
  })
  .meta({ id: 'Message' });

export type MessageRequest = z.output<typeof Message>;

export const StoredMessage = z
  .object({
    id: z.string(),
    parent_id: z.string().nullable(),
    role: z.enum(ROLES),
    content: z.string(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).nullable(),
    tool_call_id: z.string().nullable(),
    model: z.string().nullable().describe("The session's when the message was stored; of the assistant only"),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    usage: z
      .object({
        input_tokens: z.int(),
        output_tokens: z.int(),
        cache_read_input_tokens: z.int(),
        cache_creation_input_tokens: z.int(),
        cost_usd: z.number().nullable(),
      })
      .nullable(),
    seq: z.int(),
    era: z.int().describe('How many compactions lie below it'),
    compacted_up_to_seq: z
      .int()
      .nullable()
      .describe('Of a summary: it stands for the messages up to this one'),
    created_at: Timestamp,
  })
  .meta({ id: 'StoredMessage' });

export type StoredMessageOf = z.output<typeof StoredMessage>;

export const MAX_MESSAGES = 500;
const MAX_TOOLS = 1_000;

/** Limit for all messages of a request together. */
const MAX_CALLS_IN_ALL = 10_000;

const callCount = (message: unknown) =>
  typeof message === 'object' &&
  message !== null &&
  'tool_calls' in message &&
  Array.isArray(message.tool_calls)
    ? message.tool_calls.length
    : 0;

const Messages = countedFirst(listOf(Message, MAX_MESSAGES, 1), MAX_CALLS_IN_ALL, (given) =>
  Array.isArray(given) && given.length <= MAX_MESSAGES
    ? given.reduce((sum: number, message: unknown) => sum + callCount(message), 0)
    : 0,
);

const TranscriptContext = z
  .object({
    model: Model,
    agent: Agent.nullish().describe('Absent keeps, null clears; so for the others'),
    system_prompt: z.string().nullish().describe('In force from the first of the new messages on'),
    tools: listOf(z.record(z.string(), z.unknown()), MAX_TOOLS)
      .nullish()
      .describe('Definitions of the tools that the agent has'),
  })
  .meta({ id: 'TranscriptContext' });

export type TranscriptContextRequest = z.output<typeof TranscriptContext>;

export const TranscriptAppendRequest = z
  .object({ messages: Messages, context: TranscriptContext.nullish() })
  .meta({ id: 'TranscriptAppendRequest' });

const MessagePlace = z.object({ id: z.string(), seq: z.int() });

export const TranscriptAppendResponse = z
  .object({
    session: SessionResponse,
    messages: z.array(MessagePlace).describe('In the order in which they were given, known ones too'),
  })
  .meta({ id: 'TranscriptAppendResponse' });

export const TranscriptQuery = z.object({
  after_seq: z.int().min(0).default(0),
  limit: z
    .int()
    .min(1)
    .default(100)
    .describe(`Of more than ${MAX_MESSAGES}, the first ${MAX_MESSAGES} are returned`),
  include_compacted: z.boolean().default(false).describe('Of all eras, not of the current one only'),
});

export const TranscriptResponse = z
  .object({
    session: SessionResponse,
    messages: z.array(StoredMessage).describe('At most limit, and fewer where they are large'),
    current_system_prompt: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'TranscriptResponse' });

export const TranscriptCompactRequest = z
  .object({
    up_to_seq: z.int().min(1).describe('The last message that the summary stands for'),
    summary: Message,
  })
  .meta({ id: 'TranscriptCompactRequest' });

export const TranscriptCompactResponse = z
  .object({ session: SessionResponse, summary: MessagePlace, era: z.int().describe('The one that begins') })
  .meta({ id: 'TranscriptCompactResponse' });

export const SessionRewindRequest = z
  .object({ from_seq: z.int().min(1).describe('The first message that is taken back') })
  .meta({ id: 'SessionRewindRequest' });

export const SessionRewindResponse = z
  .object({
    deleted_count: z.int(),
    target_seq: z.int().describe('The last message that is left; 0 when none is'),
    restored_content: z.string().describe('Of the first message that was taken back'),
  })
  .meta({ id: 'SessionRewindResponse' });
