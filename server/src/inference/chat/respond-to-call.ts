/** Responds to a model call over HTTP, in the form of the client's API: as a whole, or as server-sent events. */
import type { IncomingHttpHeaders } from 'node:http';
import type { OrgScope } from '../../platform/auth/principal.ts';
import { ApiError, withHeaders } from '../../platform/errors.ts';
import { Reply } from '../../platform/http/responses/reply.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import type { CallLinks } from '../call-ledger.ts';
import { readLinks } from '../calls/links.ts';
import type { ModelCall, ModelCalls, ModelResult, ModelStream } from '../calls/model-calls.ts';
import type { CallRecorder, Recording } from '../recording/call-recorder.ts';
import { type RecordedResponse, replayResult, replayStream } from '../recording/replay.ts';
import { findSimulated } from '../simulated-models.ts';

/** Everything about a call except its request: the caller, and the session and span it belongs to. */
export type CallOrigin = Omit<ModelCall, 'request' | 'observer'> & {
  readonly callId: string;
  readonly observer: Recording | undefined;
};

/** The response format of one API. */
export interface ResponseForm {
  whole(result: ModelResult): object;
  events(stream: ModelStream): AsyncIterable<Buffer>;
}

interface Received {
  readonly scope: OrgScope;
  readonly headers: IncomingHttpHeaders;
  /** The `metadata` of the request, which may name a session or a span. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly signal: AbortSignal;
}

export async function readOrigin(
  recorder: CallRecorder,
  { scope, headers, metadata, signal }: Received,
): Promise<CallOrigin> {
  const length = headers['content-length'];
  const { sandbox } = scope.principal;
  const links = toOwnLinks(readLinks(headers, metadata), scope);
  return {
    organizationId: scope.organizationId,
    userId: scope.principal.userId,
    links,
    observer: await recorder.open(scope, links),
    allowance: sandbox && { sandboxId: sandbox.id, limitUsd: sandbox.spendLimitUsd, model: sandbox.model },
    callId: uuidv7(),
    retryCount: retryCountOf(headers),
    requestBytes: length === undefined ? undefined : Number(length),
    signal,
  };
}

/** A sandbox without the right to write sessions records into its own session, whatever its programs name. */
function toOwnLinks(links: CallLinks, { principal: { sandbox, apiKey } }: OrgScope): CallLinks {
  if (!sandbox) return links;
  const mayName = apiKey?.scopes?.has('sessions:write');
  return { ...links, sessionId: (mayName ? links.sessionId : null) ?? sandbox.sessionId };
}

/** Headers of every response to a call, including errors. */
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

export async function respondToCall(
  calls: ModelCalls,
  call: CallOrigin & Pick<ModelCall, 'request'>,
  form: ResponseForm,
): Promise<Reply> {
  const headers = callHeaders(call);
  try {
    const recorded = call.retryCount ? await call.observer?.findResponse(call.request) : undefined;
    if (recorded) return respondReplayed(call, recorded, form, headers);
    if (call.request.stream) return Reply.events(form.events(await calls.stream(call)), headers);
    return await respondWhole(calls, call, form, headers);
  } catch (error) {
    throw error instanceof ApiError ? withHeaders(error, headers) : error;
  }
}

async function respondWhole(
  calls: ModelCalls,
  call: ModelCall,
  form: ResponseForm,
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

/** Responds to a repeated call with its stored response: no model is called, and nothing is charged. */
function respondReplayed(
  { callId, request }: CallOrigin & Pick<ModelCall, 'request'>,
  recorded: RecordedResponse,
  form: ResponseForm,
  headers: Record<string, string>,
): Reply {
  const repeated = { ...headers, 'x-drydock-replayed': 'true' };
  if (request.stream) return Reply.events(form.events(replayStream(callId, request, recorded)), repeated);
  const whole = form.whole(replayResult(callId, request, recorded));
  return Reply.bytes('application/json; charset=utf-8', JSON.stringify(whole), repeated);
}

/** OpenAI's and Anthropic's clients count their own retries in this header. */
function retryCountOf({ 'x-stainless-retry-count': count }: IncomingHttpHeaders): number {
  return typeof count === 'string' && /^\d{1,3}$/.test(count) ? Number(count) : 0;
}
