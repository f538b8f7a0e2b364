/** Chat completions of all models of an organization, including simulated ones. */
import type { LiveOptions, LiveStream } from '../live-stream.ts';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from '../models.gen.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * The method decides whether the response is streamed, not `stream`. OpenAI's clients work as well, with `/api/v1/org/main/inference/v1` of
 * the server as their base URL.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Hello' }];
 * const answer = await drydock.chat.complete({ org: 'main' }, { model: 'sim/echo', messages });
 * console.log(answer.choices[0]?.message.content); // → Hello
 *
 * let text = '';
 * for await (const chunk of drydock.chat.completeLive({ org: 'main' }, { model: 'sim/echo', messages })) {
 *   text += chunk.choices[0]?.delta.content ?? '';
 * }
 * console.log(text); // → Hello
 * ```
 */
export class Chat extends Resource {
  /** Resolves with the whole response. */
  complete(
    where: InOrganization,
    request: ChatCompletionRequest,
    options?: CallOptions,
  ): Promise<ChatCompletion> {
    return this.client.call(
      'createChatCompletion',
      { path: where, body: { ...request, stream: false } },
      options,
    );
  }

  /** Streams the response while the model generates it. Leaving the loop ends the call. */
  completeLive(
    where: InOrganization,
    request: ChatCompletionRequest,
    options?: LiveOptions,
  ): LiveStream<ChatCompletionChunk> {
    return this.client.pieces(
      'createChatCompletion',
      { path: where, body: { ...request, stream: true } },
      options,
    );
  }
}
