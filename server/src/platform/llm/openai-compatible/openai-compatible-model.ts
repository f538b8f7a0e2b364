/** Models of a provider with OpenAI's API: requests and responses pass through. */
import type { ApiError } from '../../errors.ts';
import type { GuardedClient, OutboundResponse } from '../../net/guarded-client.ts';
import type { ResponseBody } from '../../net/response-body.ts';
import type { ChatCall, ChatModel, ChatRequest, ChatResponse, StreamPiece } from '../chat-model.ts';
import { PieceStream, type PieceStreamOptions } from '../piece-stream.ts';
import { ProviderClient, type ReachedProvider } from '../provider-client.ts';
import { toGarbageError } from '../provider-errors.ts';
import { toUpstreamId } from '../upstream-id.ts';
import { isFinished, outputLengthOf, parseObject, toCompletion } from './completion.ts';
import { OpenAICompatibleEmbeddings } from './openai-compatible-embeddings.ts';
import { findUsage } from './usage.ts';

export interface OpenAICompatibleProvider extends ReachedProvider {
  /** URL before `/chat/completions`. */
  readonly baseUrl: string;
}

export class OpenAICompatibleModel implements ChatModel {
  readonly embeddings: OpenAICompatibleEmbeddings;
  readonly #http: ProviderClient;
  readonly #provider: OpenAICompatibleProvider;
  readonly #url: URL;

  constructor(client: GuardedClient, provider: OpenAICompatibleProvider) {
    this.#http = new ProviderClient(client, provider);
    this.#provider = provider;
    this.embeddings = new OpenAICompatibleEmbeddings(this.#http, provider);
    this.#url = new URL(`${provider.baseUrl.replace(/\/+$/, '')}/chat/completions`);
  }

  async complete(call: ChatCall): Promise<ChatResponse> {
    const request = call.request.stream ? { ...call.request, stream: false } : call.request;
    const { body } = await this.#send(call, request);
    const fields = parseObject(await this.#http.readText(call, body));
    const completion = fields && toCompletion(fields, call.id);
    if (!completion) throw this.#toGarbage(fields);
    return {
      completion,
      usage: findUsage(completion.usage),
      outputLength: outputLengthOf(completion),
      upstreamId: toUpstreamId(this.#provider, fields['id']),
    };
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    const { request, signal, room } = call;
    const streamOptions = toObject(request['stream_options']);
    const options = { ...streamOptions, include_usage: true };
    const { headers, body } = await this.#send(call, { ...request, stream: true, stream_options: options });
    if (/^application\/json\b/i.test(String(headers['content-type']))) {
      const fields = parseObject(await this.#http.readText(call, body));
      throw this.#toGarbage(fields, 'did not stream its response');
    }
    const stream = new CompletionStream(body, {
      provider: this.#provider,
      id: call.id,
      isUsageWanted: streamOptions['include_usage'] === true,
      maxSilenceMs: this.#provider.timeoutMs,
      room,
      // Captures the signal instead of the call: the request may be large, and the response may take hours.
      toError: (error) => this.#http.toError(signal, error),
    });
    await stream.begin();
    return stream;
  }

  #send({ signal }: ChatCall, request: ChatRequest): Promise<OutboundResponse> {
    const { apiKey } = this.#provider;
    return this.#http.post({
      url: this.#url,
      headers: {
        accept: request.stream ? 'text/event-stream' : 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(request),
      signal,
    });
  }

  /** Describes a successful response that is not a chat completion. */
  #toGarbage(
    fields: Readonly<Record<string, unknown>> | undefined,
    what = 'sent something that is not a chat completion',
  ): ApiError {
    return fields?.['error']
      ? toGarbageError(this.#provider, 'failed', fields['error'])
      : toGarbageError(this.#provider, what);
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

interface StreamOptions extends PieceStreamOptions {
  /** True when the caller requested the chunk with the usage. */
  readonly isUsageWanted: boolean;
}

class CompletionStream extends PieceStream {
  readonly #id: string;
  readonly #isUsageWanted: boolean;

  constructor(body: ResponseBody, options: StreamOptions) {
    super(body, options);
    this.#id = options.id;
    this.#isUsageWanted = options.isUsageWanted;
  }

  protected override read(data: string): void {
    if (data.trim() === '[DONE]') return this.end();
    const fields = parseObject(data);
    if (!fields) return this.fail(this.garbage('sent something that is not a chunk of a chat completion'));
    const id = this.#id;
    const chunk = toCompletion(fields, id) ?? { ...fields, id, choices: [] };
    if (fields['error'] && chunk.choices.length === 0)
      return this.fail(this.garbage('failed in the middle of its response', fields['error']));
    const { usage } = chunk;
    const hasUsage = usage !== undefined && usage !== null;
    if (isFinished(chunk) || (this.isFinished && !hasUsage)) this.finish();
    if (hasUsage) this.setUsage(findUsage(usage), true);
    const isUsageAlone = hasUsage && chunk.choices.length === 0;
    if (!isUsageAlone || this.#isUsageWanted) this.add(chunk, outputLengthOf(chunk));
    return undefined;
  }
}
