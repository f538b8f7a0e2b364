/** The chat completions operation of OpenAI's API. */
import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { MAX_REQUEST_BYTES, type ModelCalls } from '../calls/model-calls.ts';
import { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from '../calls/schema.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import type { CallRecorder } from '../recording/call-recorder.ts';
import { type ResponseForm, readOrigin, respondToCall } from './respond-to-call.ts';

export function chatRoutes(recorder: CallRecorder, calls: ModelCalls): RouteGroup {
  return orgRoutes(
    'Inference',
    (on) => {
      on.post(
        '/inference/v1/chat/completions',
        {
          id: 'createChatCompletion',
          summary: 'Call a model',
          description:
            "OpenAI's chat completions, for every model of the organization: fields that are not named here are passed on to providers that speak the same. With `stream`, server-sent events of ChatCompletionChunk and a last `data: [DONE]`. The call is counted, and paid for, when the answer ends; where its caller leaves before, what was said until then. The header `X-Drydock-Session` names the session that it belongs to: the messages that are new and the response are appended there, or to a sibling of it where they are not a continuation, before the response ends. With `traceparent`, the call becomes a span of that trace. Whether their content is stored is the workspace's setting `record_content`. `X-Drydock-Call-Id` is the id of the call.",
          scope: 'inference:write',
          role: 'member',
          rateClass: 'ingest',
          largeBody: { maxBytes: MAX_REQUEST_BYTES, isVerbatim: true },
          body: ChatCompletionRequest,
          returns: {
            oneOf: { 'application/json': ChatCompletion, 'text/event-stream': ChatCompletionChunk },
          },
          watched: true,
          long: true,
          idempotency: false,
        },
        async ({ scope, body, request: { headers }, signal }) => {
          const origin = await readOrigin(recorder, { scope, headers, metadata: body.metadata, signal });
          return respondToCall(calls, { ...origin, request: body }, CHAT);
        },
      );
    },
    OPENAI_ERRORS,
  );
}

const CHAT: ResponseForm = {
  whole: ({ completion }) => completion,
  async *events({ chunks }) {
    for await (const group of chunks)
      yield Buffer.from(group.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
    yield Buffer.from('data: [DONE]\n\n');
  },
};
