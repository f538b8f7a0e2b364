/** Calls a model by the AI SDK, with our retries in place of its own. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { GuardedClient } from '../../net/guarded-client.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import type { ChatCall, ChatResponse, StreamPiece } from '../chat-model.ts';
import { type FailedTry, tryRepeatedly } from '../retries.ts';
import { toAnswer } from './answer.ts';
import { toCallOptions } from './call-options.ts';
import { ChunkWriter } from './chunks.ts';
import { Exchange, Unreadable } from './exchange.ts';
import { toFailedTry, toProviderError, toRequestError } from './failures.ts';
import { Pieces } from './pieces.ts';
import { openProviderModel } from './provider-models.ts';
import { readRequest, type TranslatableRequest } from './request-schema.ts';
import type { TranslatedProvider } from './translated-provider.ts';

const MAX_CONNECT_MS = 10_000;

export async function complete(
  client: GuardedClient,
  provider: TranslatedProvider,
  call: ChatCall,
): Promise<ChatResponse> {
  const asked = { client, provider, call, request: readRequest(call.request) };
  return askRepeatedly(asked, async (model, options) => {
    const result = await model.doGenerate(options);
    if (result.content.length === 0 && result.finishReason.raw === undefined)
      throw new Unreadable('answered something that is no answer of a model');
    return toAnswer(provider, call, result);
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
  return askRepeatedly({ client, provider, call, request }, async (model, options, exchange) => {
    const { expectWord, end } = exchange;
    // Some providers wait for the first event here.
    const { stream } = await expectWord(() => model.doStream(options));
    const writer = new ChunkWriter(call, wantsUsage);
    return Pieces.begin(stream.getReader(), writer, { expectWord, toError, leave: end });
  });
}

interface Asked {
  readonly client: GuardedClient;
  readonly provider: TranslatedProvider;
  readonly call: ChatCall;
  readonly request: TranslatableRequest;
}

type Ask<Answer> = (
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  exchange: Exchange,
) => Promise<Answer>;

function askRepeatedly<Answer extends object>(asked: Asked, ask: Ask<Answer>): Promise<Answer> {
  const { provider, call, request } = asked;
  const maxTokens = provider.kind === 'anthropic' ? provider.maxOutputTokens : undefined;
  const options = { ...toCallOptions(request, maxTokens), abortSignal: call.signal };
  return tryRepeatedly(provider.timeoutMs, call.signal, (leftMs) => askOnce(asked, options, leftMs, ask));
}

async function askOnce<Answer extends object>(
  { client, provider, call }: Asked,
  options: LanguageModelV4CallOptions,
  leftMs: number,
  ask: Ask<Answer>,
): Promise<Answer | FailedTry> {
  call.signal.throwIfAborted();
  const timeouts = { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: provider.timeoutMs };
  const exchange = new Exchange(createGuardedFetch(client, timeouts), call, provider.timeoutMs);
  const settings = { baseURL: provider.baseUrl, apiKey: provider.apiKey ?? '', fetch: exchange.fetch };
  try {
    const model = await openProviderModel(provider.kind, call.request.model, settings);
    return await ask(model, options, exchange);
  } catch (error) {
    // The SDK may leave responses open that it no longer needs.
    exchange.end();
    call.signal.throwIfAborted();
    if (!exchange.wasSent) throw toRequestError(provider, error);
    return toFailedTry(provider, error, exchange.hasAnswer);
  }
}
