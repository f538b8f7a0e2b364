/** Anthropic models for clients of Anthropic's API: requests, responses and events pass through unchanged. */
import type { GuardedClient, OutboundResponse } from '../../net/guarded-client.ts';
import {
  type ChatCall,
  type ChatModel,
  type ChatResponse,
  NATIVE,
  type NativeForm,
  type NativeModel,
  type StreamPiece,
} from '../chat-model.ts';
import { parseObject } from '../openai-compatible/completion.ts';
import { ProviderClient, type ReachedProvider } from '../provider-client.ts';
import { toGarbageError } from '../provider-errors.ts';
import { toUpstreamId } from '../upstream-id.ts';
import { MessageEvents } from './message-events.ts';
import { toChatResponse } from './messages.ts';

interface AnthropicProvider extends ReachedProvider {
  /** URL before `/messages`. */
  readonly baseUrl: string;
}

const VERSION = '2023-06-01';

type NativeCall = Pick<ChatCall, 'request' | 'signal' | 'room'>;

/** Accepts calls whose request has a native form. */
export class AnthropicModel implements ChatModel, NativeModel {
  readonly #http: ProviderClient;
  readonly #provider: AnthropicProvider;

  constructor(client: GuardedClient, provider: AnthropicProvider) {
    this.#http = new ProviderClient(client, provider);
    this.#provider = provider;
  }

  async complete(call: ChatCall): Promise<ChatResponse> {
    const { body } = await this.#send(call, '/messages', 'application/json');
    const message = parseObject(await this.#http.readText(call, body));
    if (!message || !Array.isArray(message['content']))
      throw toGarbageError(this.#provider, 'sent something that is not a message', message?.['error']);
    const upstreamId = toUpstreamId(this.#provider, message['id']);
    return { ...toChatResponse(call, message), upstreamId };
  }

  async stream(call: ChatCall): Promise<AsyncIterable<StreamPiece>> {
    const { id, model, signal, room } = call;
    const { headers, body } = await this.#send(call, '/messages', 'text/event-stream');
    if (/^application\/json\b/i.test(String(headers['content-type']))) {
      const fields = parseObject(await this.#http.readText(call, body));
      throw toGarbageError(this.#provider, 'did not stream its response', fields?.['error']);
    }
    const stream = new MessageEvents(body, {
      provider: this.#provider,
      id,
      model,
      maxSilenceMs: this.#provider.timeoutMs,
      room,
      toError: (error) => this.#http.toError(signal, error),
    });
    await stream.begin();
    return stream;
  }

  async countTokens(call: NativeCall): Promise<NativeForm> {
    const { body } = await this.#send(call, '/messages/count_tokens', 'application/json');
    const counted = parseObject(await this.#http.readText(call, body));
    if (!counted) throw toGarbageError(this.#provider, 'sent something that is not a count of tokens');
    return counted;
  }

  #send({ request, signal }: NativeCall, path: string, accept: string): Promise<OutboundResponse> {
    const native = request[NATIVE];
    if (!native) throw new Error('The request has no native form.');
    const { baseUrl, apiKey } = this.#provider;
    return this.#http.post({
      url: new URL(`${baseUrl.replace(/\/+$/, '')}${path}${native.query}`),
      headers: {
        'anthropic-version': VERSION,
        ...native.headers,
        accept,
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      },
      body: JSON.stringify({ ...native.body, model: request.model }),
      signal,
    });
  }
}
