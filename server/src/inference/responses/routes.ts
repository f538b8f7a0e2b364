/** OpenAI's Responses operation, for every model of an organization. */

import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { MAX_REQUEST_BYTES, type ModelCalls } from '../calls/model-calls.ts';
import { readOrigin, respondToCall } from '../chat/respond-to-call.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import type { CallRecorder } from '../recording/call-recorder.ts';
import { toResponseEvents } from './events.ts';
import { readResponseRequest } from './request.ts';
import { ResponseForm } from './response.ts';
import { ModelResponse, ModelResponseEvent, ResponseRequest } from './schema.ts';

export function responseRoutes(recorder: CallRecorder, calls: ModelCalls): RouteGroup {
  return orgRoutes(
    'Inference',
    (on) => {
      on.post(
        '/inference/v1/responses',
        {
          id: 'createModelResponse',
          summary: "Call a model in the form of OpenAI's Responses",
          description:
            'The request is translated to a chat completion and counted like one. Responses are not stored: `previous_response_id`, `conversation`, `prompt` and `background` are refused, and so are tools that run on the servers of OpenAI. With `stream`, server-sent events of ModelResponseEvent.',
          scope: 'inference:write',
          role: 'member',
          rateClass: 'ingest',
          largeBody: { maxBytes: MAX_REQUEST_BYTES, isVerbatim: true },
          body: ResponseRequest,
          returns: { oneOf: { 'application/json': ModelResponse, 'text/event-stream': ModelResponseEvent } },
          watched: true,
          long: true,
          idempotency: false,
        },
        async ({ scope, body, request: { headers }, signal }) => {
          const parsed = readResponseRequest(body);
          const origin = await readOrigin(recorder, { scope, headers, metadata: body.metadata, signal });
          const form = new ResponseForm(parsed, origin.callId);
          return respondToCall(
            calls,
            { ...origin, request: parsed.request },
            { whole: (result) => form.whole(result), events: (stream) => toResponseEvents(form, stream) },
          );
        },
      );
    },
    OPENAI_ERRORS,
  );
}
