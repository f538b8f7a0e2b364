/** Answers a model call over HTTP, in the form of the API that the client speaks: whole, or as server-sent events. */
import type { IncomingHttpHeaders } from 'node:http';
import type { OrgScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, withHeaders } from '../../platform/errors.ts';
import { Reply } from '../../platform/http/reply.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { requireOwnSession } from '../../sessions/service.ts';
import { findSimulated } from '../simulated-models.ts';
import { readLinks } from './links.ts';
import type { ModelCall, ModelCalls, ModelResult, ModelStream } from './model-calls.ts';

/** Everything about a call but its request: the caller, and what the call belongs to. */
export type CallOrigin = Omit<ModelCall, 'request'> & { readonly callId: string };

/** How a call is answered in one API. */
export interface AnswerForm {
  whole(result: ModelResult): object;
  events(stream: ModelStream): AsyncIterable<Buffer>;
}

interface Received {
  readonly scope: OrgScope;
  readonly headers: IncomingHttpHeaders;
  /** `metadata` of the request, which may name a session or a span. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly signal: AbortSignal;
}

export async function readOrigin(
  db: Db,
  { scope, headers, metadata, signal }: Received,
): Promise<CallOrigin> {
  const length = headers['content-length'];
  const links = readLinks(headers, metadata);
  if (links.sessionId !== null) await requireOwnSession(db, scope, links.sessionId);
  return {
    organizationId: scope.organizationId,
    userId: scope.principal.userId,
    links,
    callId: uuidv7(),
    retryCount: retryCountOf(headers),
    requestBytes: length === undefined ? undefined : Number(length),
    signal,
  };
}

/** Headers of every answer to a call, an error among them. */
export const callHeaders = ({
  callId,
  request,
}: {
  readonly callId: string;
  readonly request: { readonly model: string };
}): Record<string, string> => ({
  'x-drydock-call-id': callId,
  ...(findSimulated(request.model) && { 'x-drydock-simulated': 'true' }),
});

export async function answerCall(
  calls: ModelCalls,
  call: ModelCall & { readonly callId: string },
  form: AnswerForm,
): Promise<Reply> {
  const headers = callHeaders(call);
  try {
    if (call.request.stream) return Reply.events(form.events(await calls.stream(call)), headers);
    return await answerWhole(calls, call, form, headers);
  } catch (error) {
    throw error instanceof ApiError ? withHeaders(error, headers) : error;
  }
}

async function answerWhole(
  calls: ModelCalls,
  call: ModelCall,
  form: AnswerForm,
  headers: Record<string, string>,
): Promise<Reply> {
  const share = calls.openShare(call.userId);
  try {
    const result = await calls.call({ ...call, share });
    const { upstreamId } = result;
    const named = upstreamId === undefined ? headers : { ...headers, 'x-upstream-id': upstreamId };
    const sent = share.isEmpty ? undefined : () => share.free();
    return Reply.bytes('application/json; charset=utf-8', JSON.stringify(form.whole(result)), named, sent);
  } catch (error) {
    share.free();
    throw error;
  }
}

/** OpenAI's and Anthropic's clients count their own retries in this header. */
function retryCountOf({ 'x-stainless-retry-count': count }: IncomingHttpHeaders): number {
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : 0;
}
