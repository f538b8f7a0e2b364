/** Converts an Anthropic messages request to a chat completion request. */
import { z } from 'zod';
import { type Issue, invalidValue, invalidValues } from '../../platform/errors.ts';
import { NATIVE, type NativeRequest } from '../../platform/llm/chat-model.ts';
import type { ChatCompletionRequest } from '../calls/schema.ts';
import { MessageList } from '../chat/message-list.ts';
import { readAs, toIssues } from '../read-as.ts';
import { BlockReader, textsOf } from './blocks.ts';
import type { MessageRequest, MessageTokensRequest } from './schema.ts';

/**
 * @param native the original request for a provider with the same API; other providers get only the translation
 * @throws {ApiError} `validation_error` that names what cannot be passed on to another provider
 */
export function toChatRequest(
  body: MessageRequest | MessageTokensRequest,
  native: NativeRequest | undefined,
): ChatCompletionRequest {
  if (!native) refuseServerSide(body);
  const responseFormat = toResponseFormat(body, native !== undefined);
  return {
    model: body.model,
    messages: toMessages(body, native !== undefined),
    ...(body['stream'] === true && { stream: true, stream_options: { include_usage: true } }),
    ...present({
      max_completion_tokens: body['max_tokens'],
      temperature: body['temperature'],
      top_p: body['top_p'],
      stop: body['stop_sequences'],
      response_format: responseFormat,
    }),
    ...toTools(body, native !== undefined),
    ...(native && { [NATIVE]: native }),
  };
}

function toMessages({ system, messages }: MessageTokensRequest, isNative: boolean) {
  const list = new MessageList();
  list.instruct(textsOf(system ?? ''));
  const reader = new BlockReader(list, isNative);
  for (const [index, message] of messages.entries()) reader.add(message, ['body', 'messages', index]);
  const all = list.end();
  if (all.length > 0) return all;
  throw invalidValue(['body', 'messages'], 'The messages hold nothing for the model to read.');
}

/** Fields that require work on Anthropic's servers. */
const SERVER_SIDE = ['mcp_servers', 'container'];

function refuseServerSide(body: MessageTokensRequest): void {
  const issues = SERVER_SIDE.filter((name) => isGiven(body[name])).map(
    (name): Issue => ({
      loc: ['body', name],
      msg: `"${name}" works with providers of kind anthropic only. Leave it out, or call a model of such a provider.`,
      type: 'unsupported_parameter',
    }),
  );
  if (issues.length > 0) throw invalidValues(issues);
}

const isGiven = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const ownTool = z.object({
  name: z.string().min(1),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
});

function toTools({ tools, tool_choice }: MessageTokensRequest, isNative: boolean) {
  if (!tools || tools.length === 0) return {};
  const issues: Issue[] = [];
  const offered = tools.map((tool, index) => {
    const loc = ['body', 'tools', index];
    const isOwn = (tool.type ?? 'custom') === 'custom';
    const read = ownTool.safeParse(tool, { reportInput: true });
    if (isOwn && read.success) return toFunction(read.data);
    if (!isNative && isOwn && read.error) issues.push(...toIssues(loc, read.error));
    if (!isNative && !isOwn)
      issues.push({ loc, msg: notOffered(tool.type, tool.name), type: 'unsupported_tool' });
    return tool;
  });
  if (issues.length > 0) throw invalidValues(issues);
  return { tools: offered, ...toChoice(tool_choice, isNative) };
}

const notOffered = (type: unknown, name: unknown) =>
  `The tool "${String(name ?? type)}" of type "${String(type)}" can be offered by providers of kind anthropic only. Leave it out, or call a model of such a provider.`;

const toFunction = ({ name, description, input_schema, strict }: z.output<typeof ownTool>) => ({
  type: 'function' as const,
  function: { name, ...present({ description }), parameters: input_schema, ...present({ strict }) },
});

const choice = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().nullish() }),
    z.object({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().nullish() }),
    z.object({ type: z.literal('none') }),
    z.object({
      type: z.literal('tool'),
      name: z.string(),
      disable_parallel_tool_use: z.boolean().nullish(),
    }),
  ],
  { error: 'The choice has to be of type auto, any, tool or none.' },
);

function toChoice(given: MessageTokensRequest['tool_choice'], isNative: boolean) {
  if (!given || (isNative && !choice.safeParse(given).success)) return {};
  const chosen = readAs(choice, given, ['body', 'tool_choice']);
  const tool_choice =
    chosen.type === 'tool'
      ? { type: 'function', function: { name: chosen.name } }
      : { auto: 'auto', any: 'required', none: 'none' }[chosen.type];
  const isSingle = chosen.type !== 'none' && chosen.disable_parallel_tool_use === true;
  return { tool_choice, ...(isSingle && { parallel_tool_calls: false }) };
}

const jsonFormat = z.object({
  type: z.literal('json_schema', { error: 'The format has to be of type json_schema.' }),
  schema: z.record(z.string(), z.unknown()),
});

function toResponseFormat(body: MessageTokensRequest, isNative: boolean) {
  const { output_config: config, output_format: older } = body;
  const newer = typeof config === 'object' && config !== null ? Reflect.get(config, 'format') : undefined;
  const given: unknown = newer ?? older;
  if (isNative || given === undefined || given === null) return undefined;
  const loc = ['body', ...(newer === undefined ? ['output_format'] : ['output_config', 'format'])];
  const { schema } = readAs(jsonFormat, given, loc);
  return { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } };
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
