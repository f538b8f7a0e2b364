/** The operation that clients of OpenAI know. */
import { takeBodyText } from '../../platform/http/json-body.ts';
import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import type { ChatGateway } from './gateway.ts';
import { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from './schema.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

export function chatRoutes(gateway: ChatGateway): RouteGroup {
  return orgRoutes(
    'Inference',
    (on) => {
      on.post(
        '/inference/v1/chat/completions',
        {
          id: 'createChatCompletion',
          summary: 'Call a model',
          description:
            "OpenAI's chat completions, for every model of the organization: fields that are not named here are passed on to providers that speak the same. With `stream`, server-sent events of ChatCompletionChunk and a last `data: [DONE]`. The call is counted, and paid for, when the answer ends; where its caller leaves before, what was said until then. The headers `X-Drydock-Session` and `traceparent` name the session and the span that it belongs to. `X-Drydock-Call-Id` is the id of the call.",
          scope: 'inference:write',
          role: 'member',
          rateClass: 'ingest',
          bodyLimitBytes: MAX_BODY_BYTES,
          body: ChatCompletionRequest,
          passesBodyOn: true,
          answerTypes: { 'application/json': ChatCompletion, 'text/event-stream': ChatCompletionChunk },
          attended: true,
          long: true,
          idempotency: false,
        },
        ({ scope, body, request, signal }) =>
          gateway.answer({
            organizationId: scope.organizationId,
            userId: scope.principal.userId,
            request: body,
            written: takeBodyText(request),
            headers: request.headers,
            signal,
          }),
      );
    },
    OPENAI_ERRORS,
  );
}
