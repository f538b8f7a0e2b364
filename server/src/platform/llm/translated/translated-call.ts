/** Calls a model by the AI SDK, with our retries in place of its own. */
import type { JSONObject, LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { GuardedClient } from '../../net/guarded-client.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import type { ChatCall, ChatResponse, StreamPiece } from '../chat-model.ts';
import { type FailedTry, tryRepeatedly } from '../retries.ts';
import { ChunkWriter } from './chunks.ts';
import { Exchange, Unreadable } from './exchange.ts';
import { toFailedTry, toProviderError, toRequestError } from './failures.ts';
import { Pieces } from './pieces.ts';
import { optionsOf, toPrompt } from './prompt.ts';
import { readRequest, type TranslatableRequest } from './request-schema.ts';
import { toResponse } from './response.ts';
import { openProviderModel, type TranslatedProvider } from './translated-provider.ts';

function toCallOptions(
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

const MAX_CONNECT_MS = 10_000;

export async function complete(
  client: GuardedClient,
  provider: TranslatedProvider,
  call: ChatCall,
): Promise<ChatResponse> {
  const translated = { client, provider, call, request: readRequest(call.request) };
  return callRepeatedly(translated, async (model, options) => {
    const result = await model.doGenerate(options);
    if (result.content.length === 0 && result.finishReason.raw === undefined)
      throw new Unreadable('answered something that is no answer of a model');
    return toResponse(provider, call, result);
  });
}

export async function stream(
  client: GuardedClient,
  provider: TranslatedProvider,
  call: ChatCall,
): Promise<AsyncIterable<StreamPiece>> {
  const request = readRequest(call.request);
  const wantsUsage = request.stream_options?.include_usage === true;
  const toError = (error: unknown) =>
    call.signal.aborted ? call.signal.reason : toProviderError(provider, error);
  return callRepeatedly({ client, provider, call, request }, async (model, options, exchange) => {
    const { waitForContent, end } = exchange;
    // Some providers wait for the first event here.
    const { stream } = await waitForContent(() => model.doStream(options));
    const writer = new ChunkWriter(call, wantsUsage);
    return Pieces.begin(stream.getReader(), writer, { waitForContent, toError, leave: end });
  });
}

interface TranslatedCall {
  readonly client: GuardedClient;
  readonly provider: TranslatedProvider;
  readonly call: ChatCall;
  readonly request: TranslatableRequest;
}

type CallModel<Result> = (
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  exchange: Exchange,
) => Promise<Result>;

function callRepeatedly<Result extends object>(
  translated: TranslatedCall,
  callModel: CallModel<Result>,
): Promise<Result> {
  const { provider, call, request } = translated;
  const maxTokens = provider.kind === 'anthropic' ? provider.maxOutputTokens : undefined;
  const options = { ...toCallOptions(request, maxTokens), abortSignal: call.signal };
  return tryRepeatedly(provider.timeoutMs, call.signal, (leftMs) =>
    callOnce(translated, options, leftMs, callModel),
  );
}

async function callOnce<Result extends object>(
  { client, provider, call }: TranslatedCall,
  options: LanguageModelV4CallOptions,
  leftMs: number,
  callModel: CallModel<Result>,
): Promise<Result | FailedTry> {
  call.signal.throwIfAborted();
  const timeouts = { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: provider.timeoutMs };
  const exchange = new Exchange(createGuardedFetch(client, timeouts), call, provider.timeoutMs);
  const settings = { baseURL: provider.baseUrl, apiKey: provider.apiKey ?? '', fetch: exchange.fetch };
  try {
    const model = await openProviderModel(provider.kind, call.request.model, settings);
    return await callModel(model, options, exchange);
  } catch (error) {
    // The SDK may leave responses open that it no longer needs.
    exchange.end();
    call.signal.throwIfAborted();
    if (!exchange.wasSent) throw toRequestError(provider, error);
    return toFailedTry(provider, error, exchange.hasResponse);
  }
}
