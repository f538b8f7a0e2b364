/** OpenAI's Responses on the wire. Fields that are not listed here are accepted and ignored. */
import { z } from 'zod';
import { ChatCompletionRequest, Count } from '../calls/schema.ts';

const Typed = z.looseObject({ type: z.string().optional() });

export const ResponseRequest = z
  .looseObject({
    model: ChatCompletionRequest.shape.model,
    input: z
      .union([z.string(), z.array(Typed).min(1)])
      .describe(
        'A text, or items: messages, function_call, function_call_output, custom_tool_call, custom_tool_call_output, reasoning',
      ),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish().describe('Stream the response as server-sent events'),
    tools: z
      .array(Typed)
      .nullish()
      .describe('Tools of type `function`, `custom`, or `namespace` with such tools'),
    tool_choice: z.union([z.string(), Typed]).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    text: z.looseObject({ format: Typed.nullish() }).nullish(),
    max_output_tokens: Count,
    temperature: Count,
    top_p: Count,
    reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
    metadata: ChatCompletionRequest.shape.metadata,
    store: z.boolean().nullish().describe('Accepted. No response is stored'),
  })
  .meta({ id: 'ResponseRequest' });

export type ResponseRequest = z.output<typeof ResponseRequest>;

/** Describes the response in the OpenAPI document; the handler creates it. */
export const ModelResponse = z
  .looseObject({
    id: z.string().describe('`resp_` and the id of the call'),
    object: z.literal('response'),
    created_at: z.int(),
    status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
    model: z.string(),
    output: z.array(z.looseObject({ id: z.string(), type: z.string() })),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullish(),
  })
  .meta({ id: 'ModelResponse' });

export const ModelResponseEvent = z
  .looseObject({
    type: z.string().describe('Such as response.created or response.output_text.delta'),
    sequence_number: z.int(),
  })
  .meta({
    id: 'ModelResponseEvent',
    description:
      'The data of each server-sent event, where `stream` is true. The last is response.completed, response.incomplete or response.failed, with the response.',
  });
