/** The translated fields of a chat completion request. Other fields are ignored. */
import type { JSONValue } from '@ai-sdk/provider';
import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { toNumber } from '../../json.ts';
import type { ChatRequest } from '../chat-model.ts';

/** Passed on unchanged, including the spelling of numbers; values that are too deep were refused before. */
const object = z.record(z.string(), z.custom<JSONValue>());

const numeric = <Rule extends z.ZodType>(rule: Rule) => z.preprocess(toNumber, rule);
const number = numeric(z.number());
const count = numeric(z.int().positive());

/** Options for one provider, by its name: `{"anthropic": {"cacheControl": {"type": "ephemeral"}}}`. */
const providerOptions = z.record(z.string(), object).nullish();

const textPart = z.object({ type: z.literal('text'), text: z.string(), provider_options: providerOptions });

const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });

const filePart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('image_url'),
    image_url: z.object({ url: z.string() }),
    provider_options: providerOptions,
  }),
  z.object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: z.string(), format: z.enum(['wav', 'mp3']) }),
    provider_options: providerOptions,
  }),
  z.object({
    type: z.literal('file'),
    file: z.object({
      file_data: z.string({ error: 'Send the file itself as a data: URI; ids of files are not known here.' }),
      filename: z.string().nullish(),
    }),
    provider_options: providerOptions,
  }),
]);

/** A single text is one part. Not a union, whose issues would have no exact location. */
function partsOf<Part extends z.ZodType>(part: Part) {
  return z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    z.array(part),
  );
}

const textContent = partsOf(textPart);

const toolCall = z.object({
  type: z.literal('function', { error: 'Only calls of type "function" can be translated.' }),
  id: z.string().min(1),
  function: z.object({ name: z.string(), arguments: z.string() }),
  /** Same form as Google's own endpoint for OpenAI clients. */
  extra_content: z
    .object({ google: z.object({ thought_signature: z.string() }).nullish() })
    .nullish()
    .catch(undefined),
  provider_options: providerOptions,
});

/** Reasoning of a model, with the data by which its provider verifies it. */
const reasoningDetail = z.discriminatedUnion('type', [
  z.object({ type: z.literal('reasoning.text'), text: z.string(), signature: z.string().nullish() }),
  z.object({ type: z.literal('reasoning.encrypted'), data: z.string() }),
]);

const instruction = { content: textContent, provider_options: providerOptions };

const message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.literal('system'), ...instruction }),
    z.object({ role: z.literal('developer'), ...instruction }),
    z.object({
      role: z.literal('user'),
      content: partsOf(z.discriminatedUnion('type', [textPart, filePart])),
      provider_options: providerOptions,
    }),
    z.object({
      role: z.literal('assistant'),
      content: partsOf(z.discriminatedUnion('type', [textPart, refusalPart])).nullish(),
      refusal: z.string().nullish(),
      reasoning_content: z.string().nullish(),
      reasoning_details: z.array(reasoningDetail).nullish(),
      tool_calls: z.array(toolCall).nullish(),
      provider_options: providerOptions,
    }),
    z.object({
      role: z.literal('tool'),
      tool_call_id: z.string(),
      content: textContent,
      provider_options: providerOptions,
    }),
  ],
  { error: 'The role has to be one of system, developer, user, assistant, tool.' },
);

const tool = z.object({
  type: z.literal('function', { error: 'Only tools of type "function" can be translated.' }),
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: object.nullish(),
    strict: z.boolean().nullish(),
  }),
  provider_options: providerOptions,
});

const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
  ],
  { error: 'The choice has to be "auto", "none", "required" or the name of a function.' },
);

const responseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ name: z.string(), description: z.string().nullish(), schema: object.nullish() }),
  }),
]);

const absent = (instead: string) => z.null({ error: instead }).optional();

const requestSchema = z.object({
  messages: z.array(message).min(1),
  n: z.literal(1, { error: 'This model gives one answer; call it again for another.' }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: absent('Use tools instead of functions.'),
  function_call: absent('Use tool_choice instead of function_call.'),
  response_format: responseFormat.nullish(),
  max_tokens: count.nullish(),
  max_completion_tokens: count.nullish(),
  temperature: number.nullish(),
  top_p: number.nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: numeric(z.int()).nullish(),
  presence_penalty: number.nullish(),
  frequency_penalty: number.nullish(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  provider_options: providerOptions,
});

export type TranslatableRequest = z.output<typeof requestSchema>;
export type TranslatableMessage = TranslatableRequest['messages'][number];
export type FilePart = z.output<typeof filePart>;
export type ReasoningDetail = z.output<typeof reasoningDetail>;

/** @throws {ApiError} `invalid_error` that names the first field that cannot be translated */
export function readRequest(request: ChatRequest): TranslatableRequest {
  const read = parse(request);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw refused(issue?.path ?? [], issue?.message ?? 'It cannot be translated.');
}

function parse(request: ChatRequest) {
  try {
    return requestSchema.safeParse(request);
  } catch (error) {
    if (error instanceof RangeError) throw refused([], TOO_DEEP);
    throw error;
  }
}

export const TOO_DEEP = 'The request is nested too deeply.';

/** Error for valid input that the provider cannot represent. */
export function refused(path: readonly PropertyKey[], why: string): ApiError {
  const place = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
  return new ApiError('invalid_error', place ? `${place}: ${why}` : why);
}
