/** Model calls in the form of Anthropic's messages. */
import type { LiveOptions, LiveStream } from '../live-stream.ts';
import type {
  MessageRequest,
  MessageTokens,
  MessageTokensRequest,
  ModelMessage,
  ModelMessageEvent,
} from '../models.gen.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const request = {
 *   model: 'sim/echo',
 *   max_tokens: 100,
 *   messages: [{ role: 'user' as const, content: 'Hello' }],
 * };
 * const message = await drydock.messages.create({ org: 'main' }, request);
 * console.log(message.stop_reason, message.content[0]?.['text']); // → end_turn Hello
 *
 * const types = new Set<string>();
 * for await (const event of drydock.messages.createLive({ org: 'main' }, request)) types.add(event.type);
 * console.log(types.has('message_stop')); // → true
 * ```
 */
export class Messages extends Resource {
  /** Resolves with the whole message. */
  create(where: InOrganization, request: MessageRequest, options?: CallOptions): Promise<ModelMessage> {
    return this.client.call(
      'createModelMessage',
      { path: where, body: { ...request, stream: false } },
      options,
    );
  }

  /** Streams events while the model generates. Leaving the loop ends the call. */
  createLive(
    where: InOrganization,
    request: MessageRequest,
    options?: LiveOptions,
  ): LiveStream<ModelMessageEvent> {
    return this.client.pieces(
      'createModelMessage',
      { path: where, body: { ...request, stream: true } },
      options,
      'message_stop',
    );
  }

  /** Returns the input tokens of a request: counted by Anthropic's models, estimated for others. */
  countTokens(
    where: InOrganization,
    request: MessageTokensRequest,
    options?: CallOptions,
  ): Promise<MessageTokens> {
    return this.client.call('countMessageTokens', { path: where, body: request }, options);
  }
}
