/** Chat completions of every model that an organization has, simulated ones among them. */
import type { LiveOptions, LiveStream } from '../live-stream.ts';
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from '../models.gen.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * Whether an answer is followed is said by the method, not by `stream`. The clients of OpenAI work as well, with `/api/v1/org/main/inference/v1` of the server as their base URL.
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
  /** Resolves with the whole answer. */
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

  /** The same, piece by piece while the model speaks. Whoever leaves the loop ends the call. */
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
