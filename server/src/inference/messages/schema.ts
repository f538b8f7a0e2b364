/**
 * Anthropic messages on the wire. A provider of that kind receives every field; for others, fields that are not listed here are ignored.
 */
import { z } from 'zod';
import { toNumber } from '../../platform/json.ts';
import { ChatCompletionRequest, Count } from '../calls/schema.ts';

const Block = z.looseObject({ type: z.string() });
const Content = z.union([z.string(), z.array(Block)]);

const conversation = {
  model: ChatCompletionRequest.shape.model,
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: Content }))
    .min(1),
  system: Content.nullish(),
  tools: z
    .array(z.looseObject({ type: z.string().nullish(), name: z.string().optional() }))
    .nullish()
    .describe(
      'With `input_schema`, or of a type that the provider runs or knows, for a provider of kind anthropic',
    ),
  tool_choice: Block.nullish(),
};

/** A number with more digits than a double holds arrives as `JSON.rawJSON`. */
const MaxTokens = z.unknown().transform(toNumber).pipe(z.int().min(1)).meta({ type: 'integer', minimum: 1 });

export const MessageRequest = z
  .looseObject({
    ...conversation,
    max_tokens: MaxTokens,
    stream: z.boolean().nullish().describe('Stream the response as server-sent events'),
    stop_sequences: z.array(z.string()).nullish(),
    temperature: Count,
    top_p: Count,
    metadata: ChatCompletionRequest.shape.metadata,
  })
  .meta({ id: 'MessageRequest' });

export type MessageRequest = z.output<typeof MessageRequest>;

export const MessageTokensRequest = z.looseObject(conversation).meta({ id: 'MessageTokensRequest' });

export type MessageTokensRequest = z.output<typeof MessageTokensRequest>;

/** Describes the message in the OpenAPI document; the provider or the handler creates it. */
export const ModelMessage = z
  .looseObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(Block),
    stop_reason: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
  })
  .meta({ id: 'ModelMessage' });

export const ModelMessageEvent = z
  .looseObject({ type: z.string().describe('Such as message_start or content_block_delta') })
  .meta({
    id: 'ModelMessageEvent',
    description:
      'The data of each server-sent event, where `stream` is true. The last is message_stop, or error where the model breaks off.',
  });

export const MessageTokens = z.looseObject({ input_tokens: z.int() }).meta({ id: 'MessageTokens' });
