/** Model calls in the form of OpenAI's Responses. */
import type { LiveOptions, LiveStream } from '../live-stream.ts';
import type { ModelResponse, ModelResponseEvent, ResponseRequest } from '../models.gen.ts';
import { type InOrganization, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * Responses are not stored: each request holds the whole conversation.
 *
 * @example
 * ```ts
 * const response = await drydock.responses.create({ org: 'main' }, { model: 'sim/echo', input: 'Hello' });
 * console.log(response.status); // → completed
 *
 * let text = '';
 * for await (const event of drydock.responses.createLive({ org: 'main' }, { model: 'sim/echo', input: 'Hello' })) {
 *   if (event.type === 'response.output_text.delta') text += event['delta'];
 * }
 * console.log(text); // → Hello
 * ```
 */
export class Responses extends Resource {
  /** Resolves with the whole response. */
  create(where: InOrganization, request: ResponseRequest, options?: CallOptions): Promise<ModelResponse> {
    return this.client.call(
      'createModelResponse',
      { path: where, body: { ...request, stream: false } },
      options,
    );
  }

  /** Streams events while the model generates. Leaving the loop ends the call. */
  createLive(
    where: InOrganization,
    request: ResponseRequest,
    options?: LiveOptions,
  ): LiveStream<ModelResponseEvent> {
    return this.client.pieces(
      'createModelResponse',
      { path: where, body: { ...request, stream: true } },
      options,
      'response.completed',
      'response.incomplete',
      'response.failed',
    );
  }
}
