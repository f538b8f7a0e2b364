/** Converts a Responses request to a chat completion request. */
import { z } from 'zod';
import { type Issue, invalidValues } from '../../platform/errors.ts';
import type { ChatCompletionRequest } from '../calls/schema.ts';
import { readAs } from '../read-as.ts';
import { toChatMessages } from './input-items.ts';
import type { ResponseRequest } from './schema.ts';
import { type OfferedTools, toChatTools } from './tools.ts';

export interface ParsedRequest {
  readonly body: ResponseRequest;
  readonly request: ChatCompletionRequest;
  /** Tools by the names sent to the model. */
  readonly toolNames: OfferedTools['names'];
}

/** @throws {ApiError} `validation_error` that names what cannot be passed on */
export function readResponseRequest(body: ResponseRequest): ParsedRequest {
  refuseStored(body);
  const { fields, names } = toChatTools(body);
  const responseFormat = toResponseFormat(body.text?.format);
  const request = {
    model: body.model,
    messages: toChatMessages(body),
    ...(body.stream && { stream: true, stream_options: { include_usage: true } }),
    ...present({
      max_completion_tokens: body.max_output_tokens,
      temperature: body.temperature,
      top_p: body.top_p,
      reasoning_effort: body.reasoning?.effort,
      response_format: responseFormat,
    }),
    ...fields,
  };
  return { body, request, toolNames: names };
}

const NOT_STORED = 'Responses are not stored here. Leave it out, and send the whole conversation in "input".';

/** Fields that require a server that stores responses or prompts. */
const REFUSED: Readonly<Record<string, string>> = {
  previous_response_id: NOT_STORED,
  conversation: NOT_STORED,
  prompt:
    'Prompt templates are not stored here. Leave it out, and send the text in "instructions" or "input".',
};

function refuseStored(body: ResponseRequest): void {
  const issues: Issue[] = Object.entries(REFUSED)
    .filter(([name]) => body[name] !== undefined && body[name] !== null)
    .map(([name, msg]) => ({ loc: ['body', name], msg, type: 'unsupported_parameter' }));
  if (body['background'] === true) {
    const msg =
      'Responses are not made in the background here. Leave it out and wait for the response, or set "stream".';
    issues.push({ loc: ['body', 'background'], msg, type: 'unsupported_parameter' });
  }
  if (issues.length > 0) throw invalidValues(issues);
}

const textFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      name: z.string().min(1),
      description: z.string().nullish(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().nullish(),
    }),
  ],
  { error: 'The format has to be of type text, json_object or json_schema.' },
);

function toResponseFormat(given: unknown) {
  if (given === undefined || given === null) return undefined;
  const format = readAs(textFormat, given, ['body', 'text', 'format']);
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name, description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, ...present({ description, strict }) } };
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
