/** The operation that clients of OpenAI know. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, withHeaders } from '../../platform/errors.ts';
import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/reply.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { requireOwnSession } from '../../sessions/service.ts';
import { OPENAI_ERRORS } from '../openai-errors.ts';
import { findSimulated } from '../simulated-models.ts';
import { readLinks } from './links.ts';
import { MAX_REQUEST_BYTES, type ModelCall, type ModelCalls, type ModelStream } from './model-calls.ts';
import { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from './schema.ts';

export function chatRoutes(db: Db, calls: ModelCalls): RouteGroup {
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
          bodyLimitBytes: MAX_REQUEST_BYTES,
          body: ChatCompletionRequest,
          passesBodyOn: true,
          answerTypes: { 'application/json': ChatCompletion, 'text/event-stream': ChatCompletionChunk },
          attended: true,
          long: true,
          idempotency: false,
        },
        async ({ scope, body, request: { headers }, signal }) => {
          const length = headers['content-length'];
          const links = readLinks(headers, body.metadata);
          if (links.sessionId !== null) await requireOwnSession(db, scope, links.sessionId);
          return toReply(calls, {
            organizationId: scope.organizationId,
            userId: scope.principal.userId,
            request: body,
            links,
            callId: uuidv7(),
            retryCount: retryCountOf(headers),
            requestBytes: length === undefined ? undefined : Number(length),
            signal,
          });
        },
      );
    },
    OPENAI_ERRORS,
  );
}

async function toReply(calls: ModelCalls, call: ModelCall & { callId: string }): Promise<Reply> {
  const headers = {
    'x-drydock-call-id': call.callId,
    ...(findSimulated(call.request.model) && { 'x-drydock-simulated': 'true' }),
  };
  try {
    if (call.request.stream) return Reply.events(toEvents(await calls.stream(call)), headers);
    return await toWholeReply(calls, call, headers);
  } catch (error) {
    throw error instanceof ApiError ? withHeaders(error, headers) : error;
  }
}

async function toWholeReply(
  calls: ModelCalls,
  call: ModelCall,
  headers: Record<string, string>,
): Promise<Reply> {
  const share = calls.openShare(call.userId);
  try {
    const { completion, upstreamId } = await calls.call({ ...call, share });
    const named = upstreamId === undefined ? headers : { ...headers, 'x-upstream-id': upstreamId };
    const sent = share.isEmpty ? undefined : () => share.free();
    return Reply.bytes('application/json; charset=utf-8', JSON.stringify(completion), named, sent);
  } catch (error) {
    share.free();
    throw error;
  }
}

async function* toEvents({ chunks }: ModelStream): AsyncGenerator<Buffer> {
  for await (const group of chunks)
    yield Buffer.from(group.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
  yield Buffer.from('data: [DONE]\n\n');
}

/** OpenAI's clients count their own retries in this header. */
function retryCountOf({ 'x-stainless-retry-count': count }: IncomingHttpHeaders): number {
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : 0;
}
