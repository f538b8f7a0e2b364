/** Anthropic's messages operation, for every model of an organization. */

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { orgRoutes, type RouteGroup } from '../../platform/http/operations.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import type { NativeRequest } from '../../platform/llm/chat-model.ts';
import { ANTHROPIC_ERRORS } from '../anthropic-errors.ts';
import { withoutLinks } from '../calls/links.ts';
import { MAX_REQUEST_BYTES, requireAllowed } from '../calls/model-calls.ts';
import { estimateInput } from '../calls/tokens.ts';
import { readOrigin, respondToCall } from '../chat/respond-to-call.ts';
import type { CallRecorder } from '../recording/call-recorder.ts';
import type { Inference } from '../service.ts';
import { toMessageEvents } from './events.ts';
import { toMessage } from './message.ts';
import { toChatRequest } from './request.ts';
import {
  MessageRequest,
  MessageTokens,
  MessageTokensRequest,
  ModelMessage,
  ModelMessageEvent,
} from './schema.ts';

const SHARED = {
  scope: 'inference:write',
  role: 'member',
  rateClass: 'ingest',
  largeBody: { maxBytes: MAX_REQUEST_BYTES, isVerbatim: true },
  watched: true,
  long: true,
  idempotency: false,
} as const;

export function messageRoutes(recorder: CallRecorder, inference: Inference): RouteGroup {
  return orgRoutes(
    'Inference',
    (on) => {
      on.post(
        '/inference/v1/messages',
        {
          ...SHARED,
          id: 'createModelMessage',
          summary: "Call a model in the form of Anthropic's messages",
          description:
            'A provider of kind anthropic gets the request as it is, with the headers `anthropic-version` and `anthropic-beta`, and its response is passed on as it is. For other models the request is translated to a chat completion; what only Anthropic can do is refused. With `stream`, server-sent events of ModelMessageEvent. The call is counted like a chat completion.',
          body: MessageRequest,
          returns: { oneOf: { 'application/json': ModelMessage, 'text/event-stream': ModelMessageEvent } },
        },
        async ({ scope, body, request, signal }) => {
          const { chat } = await inference.getModel(scope.organizationId, body.model);
          const chatRequest = toChatRequest(body, chat.native && toNative(request));
          const { headers } = request;
          const origin = await readOrigin(recorder, { scope, headers, metadata: body.metadata, signal });
          return respondToCall(
            inference.calls,
            { ...origin, request: chatRequest },
            {
              whole: (result) => toMessage(body.model, result),
              events: (stream) => toMessageEvents(chatRequest, stream),
            },
          );
        },
      );

      on.post(
        '/inference/v1/messages/count_tokens',
        {
          ...SHARED,
          id: 'countMessageTokens',
          summary: "Count the input tokens of a request in the form of Anthropic's messages",
          description:
            'A provider of kind anthropic counts. For other models the number is an estimate. It is not a model call, and costs nothing here.',
          body: MessageTokensRequest,
          returns: { oneOf: { 'application/json': MessageTokens } },
        },
        async ({ scope, body, request, signal }) => {
          requireCallable(scope, body.model);
          const { chat, name } = await inference.getModel(scope.organizationId, body.model);
          const chatRequest = toChatRequest(body, chat.native && toNative(request));
          if (!chat.native) return toJson({ input_tokens: estimateInput(chatRequest) });
          const room = inference.calls.openShare(scope.principal.userId);
          try {
            const named = { ...chatRequest, model: name };
            return toJson(await chat.native.countTokens({ request: named, signal, room }));
          } finally {
            room.free();
          }
        },
      );
    },
    ANTHROPIC_ERRORS,
  );
}

function requireCallable({ principal: { sandbox } }: OrgScope, model: string): void {
  if (sandbox) requireAllowed(sandbox, model);
}

const toJson = (value: object) => Reply.bytes('application/json; charset=utf-8', JSON.stringify(value));

/** Uses the body as sent: the parsed body may have its keys in another order, which would break prompt caches. */
function toNative({ body, headers, query }: FastifyRequest): NativeRequest {
  const { metadata, ...rest } = body as Readonly<Record<string, unknown>>;
  const isObject = typeof metadata === 'object' && metadata !== null;
  const kept = isObject ? withoutLinks(metadata as Readonly<Record<string, unknown>>) : metadata;
  const isBeta = Reflect.get(query as object, 'beta') === 'true';
  return {
    body: { ...rest, ...(kept !== undefined && { metadata: kept }) },
    headers: nativeHeaders(headers),
    query: isBeta ? '?beta=true' : '',
  };
}

const FORWARDED = ['anthropic-version', 'anthropic-beta'];

const nativeHeaders = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    FORWARDED.flatMap((name) => {
      const value = headers[name]?.toString();
      return value && /^[\x20-\x7e]{1,4000}$/.test(value) ? [[name, value]] : [];
    }),
  );
