/** Chat completions on the wire, in OpenAI's form. Fields that are not listed here are passed on unchanged. */
import { z } from 'zod';
import { toNumber } from '../../platform/json.ts';

const ChatMessage = z
  .looseObject({ role: z.string().min(1).describe('Such as system, user, assistant or tool') })
  .describe('With `content`, `tool_calls` and whatever else its model understands');

/** A number; one with more digits than a double holds arrives as `JSON.rawJSON`, and counts as the nearest double. */
export const Count = z.unknown().transform(toNumber).pipe(z.number()).meta({ type: 'number' }).nullish();

export const ChatCompletionRequest = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .max(512)
      .refine((id) => !id.includes('\0') && id.isWellFormed(), 'must hold no NUL and no lone surrogate')
      .describe('`provider/name`, as GET …/inference/v1/models lists them'),
    messages: z.array(ChatMessage).min(1),
    stream: z.boolean().nullish().describe('Stream the response as server-sent events'),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    max_completion_tokens: Count,
    max_tokens: Count.describe('An older name of `max_completion_tokens`'),
    n: Count,
    metadata: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe(
        '`drydock.session_id`, or `drydock.trace_id` with `drydock.span_id`, name what the call belongs to, and are not passed on',
      ),
  })
  .meta({ id: 'ChatCompletionRequest' });

export type ChatCompletionRequest = z.output<typeof ChatCompletionRequest>;

const Usage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});

const answered = {
  id: z
    .string()
    .describe('`chatcmpl-` and the id of the call; as `gen_ai.response.id` of a span it names this call'),
  created: z.int(),
  model: z.string(),
};

/** Describes responses in the OpenAPI document only: they are sent as the model produced them. */
export const ChatCompletion = z
  .looseObject({
    ...answered,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.string(), content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: Usage.nullish(),
  })
  .meta({ id: 'ChatCompletion' });

export const ChatCompletionChunk = z
  .looseObject({
    ...answered,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        delta: z.looseObject({ role: z.string().optional(), content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    ),
    usage: Usage.nullish(),
  })
  .meta({
    id: 'ChatCompletionChunk',
    description:
      'The data of each server-sent event, where `stream` is true; the last is `[DONE]`. Where the model breaks off, the last is an InferenceErrorResponse instead.',
  });
