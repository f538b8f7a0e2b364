/** Google's embeddings by the AI SDK, with our retries in place of its own. */
import { ApiError } from '../../errors.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import { createGuardedFetch } from '../../net/guarded-fetch.ts';
import type { EmbeddingCall, EmbeddingResponse, Vector } from '../embedding-model.ts';
import { type FailedTry, tryRepeatedly } from '../retries.ts';
import { Exchange } from './exchange.ts';
import { toFailedTry, toRequestError } from './failures.ts';
import type { TranslatedProvider } from './translated-provider.ts';

/** Google's limit per request. */
const MAX_TEXTS = 100;
const MAX_CONNECT_MS = 10_000;

export async function embed(
  client: GuardedClient,
  provider: TranslatedProvider,
  call: EmbeddingCall,
): Promise<EmbeddingResponse> {
  const texts = readTexts(call.request.input);
  const vectors: Vector[] = [];
  for (let start = 0; start < texts.length; start += MAX_TEXTS) {
    const some = texts.slice(start, start + MAX_TEXTS);
    const made = await tryRepeatedly(provider.timeoutMs, call.signal, (leftMs) =>
      embedOnce(client, provider, call, { texts: some, leftMs }),
    );
    vectors.push(...made.vectors);
  }
  return { vectors, usage: undefined };
}

function readTexts(input: EmbeddingCall['request']['input']): readonly string[] {
  const inputs: readonly unknown[] = typeof input === 'string' ? [input] : input;
  if (inputs.every((text) => typeof text === 'string')) return inputs;
  throw new ApiError('invalid_error', 'input: Google takes texts, not tokens. Send the texts themselves.');
}

async function embedOnce(
  client: GuardedClient,
  provider: TranslatedProvider,
  { request, signal, room }: EmbeddingCall,
  { texts, leftMs }: { readonly texts: readonly string[]; readonly leftMs: number },
): Promise<{ readonly vectors: readonly Vector[] } | FailedTry> {
  signal.throwIfAborted();
  const timeouts = { connect: Math.min(MAX_CONNECT_MS, leftMs), firstByte: leftMs, idle: provider.timeoutMs };
  const exchange = new Exchange(createGuardedFetch(client, timeouts), { signal, room }, provider.timeoutMs);
  const settings = { baseURL: provider.baseUrl, apiKey: provider.apiKey ?? '', fetch: exchange.fetch };
  const outputDimensionality = request.dimensions ?? undefined;
  try {
    const { createGoogle } = await import('@ai-sdk/google');
    const { embeddings } = await createGoogle(settings)
      .embedding(request.model)
      .doEmbed({
        values: [...texts],
        abortSignal: signal,
        ...(outputDimensionality !== undefined && { providerOptions: { google: { outputDimensionality } } }),
      });
    return { vectors: embeddings };
  } catch (error) {
    exchange.end();
    signal.throwIfAborted();
    if (!exchange.wasSent) throw toRequestError(provider, error);
    return toFailedTry(provider, error, exchange.hasResponse);
  }
}
