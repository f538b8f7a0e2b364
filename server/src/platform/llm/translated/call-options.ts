/** Converts a chat completion request to the AI SDK's call options. */
import type { JSONObject, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { optionsOf, toPrompt } from './prompt.ts';
import type { TranslatableRequest } from './request-schema.ts';

export function toCallOptions(
  request: TranslatableRequest,
  defaultMaxTokens: number | undefined,
): LanguageModelV4CallOptions {
  const providerOptions = providerOptionsOf(request);
  const responseFormat = responseFormatOf(request.response_format);
  return {
    prompt: toPrompt(request.messages),
    ...present({
      maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? defaultMaxTokens,
      temperature: request.temperature,
      topP: request.top_p,
      seed: request.seed,
      presencePenalty: request.presence_penalty,
      frequencyPenalty: request.frequency_penalty,
      reasoning: request.reasoning_effort,
      stopSequences: typeof request.stop === 'string' ? [request.stop] : request.stop,
    }),
    ...(responseFormat && { responseFormat }),
    ...(providerOptions && { providerOptions }),
    ...tools(request),
  };
}

type Present<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<Fields>;
}

function responseFormatOf(
  format: TranslatableRequest['response_format'],
): LanguageModelV4CallOptions['responseFormat'] {
  if (!format || format.type === 'text') return undefined;
  if (format.type === 'json_object') return { type: 'json' };
  const { name, description, schema } = format.json_schema;
  return { type: 'json', name, ...(description && { description }), ...(schema && { schema }) };
}

function tools({
  tools,
  tool_choice,
}: TranslatableRequest): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  if (!tools || tools.length === 0) return {};
  return {
    tools: tools.map((tool) => ({
      type: 'function',
      name: tool.function.name,
      inputSchema: tool.function.parameters ?? { type: 'object', properties: {} },
      ...present({ description: tool.function.description, strict: tool.function.strict }),
      ...optionsOf(tool),
    })),
    ...(tool_choice && {
      toolChoice:
        typeof tool_choice === 'string'
          ? { type: tool_choice }
          : { type: 'tool', toolName: tool_choice.function.name },
    }),
  };
}

/** Merges the caller's options with those that only one provider supports. */
function providerOptionsOf({ provider_options, parallel_tool_calls }: TranslatableRequest) {
  const options: Record<string, JSONObject> = { ...provider_options };
  if (parallel_tool_calls === false)
    options['anthropic'] = { disableParallelToolUse: true, ...options['anthropic'] };
  return Object.keys(options).length > 0 ? options : undefined;
}
