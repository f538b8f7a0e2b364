/** Records calls: as messages of their session, and as a span of their trace. */
import { sql } from 'kysely';
import { scopeOf } from '../../accounts/service.ts';
import type { OrgScope, WorkspaceScope } from '../../platform/auth/principal.ts';
import { ShortMemory } from '../../platform/auth/short-memory.ts';
import type { Db } from '../../platform/db/connect.ts';
import { ApiError, forbidden } from '../../platform/errors.ts';
import { type ChatRequest, NATIVE } from '../../platform/llm/chat-model.ts';
import type { Log } from '../../platform/log.ts';
import { createSession, findRecordedResponse, recordExchange } from '../../sessions/service.ts';
import type { CallLinks } from '../call-ledger.ts';
import type { CallTotals } from '../calls/call-record.ts';
import type { CallObserver, ObservedEnd } from '../calls/model-calls.ts';
import type { ChatCompletionRequest } from '../calls/schema.ts';
import { AssembledMessage } from './assembled-message.ts';
import { type SpanOptions, toCallSpan } from './call-span.ts';

/** Stores a span in OTLP/JSON. */
export type WriteSpan = (scope: OrgScope, body: string) => Promise<void>;

export interface CallRecorderOptions {
  readonly db: Db;
  readonly writeSpan: WriteSpan;
  readonly log: Log;
}

/** A recording of one call. */
export interface Recording extends CallObserver {
  /** Finds the recorded response to the same call, for a client that retries after it missed the response. */
  findResponse(request: ChatCompletionRequest): ReturnType<typeof findRecordedResponse>;
}

interface SessionPlace {
  readonly user_id: string;
  readonly workspace_id: string;
}

export class CallRecorder {
  readonly #options: CallRecorderOptions;
  /** Scopes of the callers; rights are checked again at least every 0.7 s. */
  readonly #scopes = new ShortMemory<WorkspaceScope>();

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined for a call that belongs to no session and to no trace. An unknown session id is accepted and not recorded: spans and
   * calls often arrive before their session is saved. The same holds for a key that may not write sessions.
   * @throws {ApiError} `forbidden_error` for the session of another user, or for a workspace that the key cannot access
   */
  async open(scope: OrgScope, links: CallLinks): Promise<Recording | undefined> {
    const session = links.sessionId === null ? undefined : await this.#enterSession(scope, links.sessionId);
    if (!session && links.traceId === null) return undefined;
    return this.#follow(scope, links, session);
  }

  /** @returns the scope in which the session is written; undefined when the session does not exist, and is not created for a sandbox */
  async #enterSession(scope: OrgScope, id: string): Promise<WorkspaceScope | undefined> {
    const { organizationId, principal, requestId } = scope;
    const { userId, apiKey, sandbox } = principal;
    const isOwn = sandbox?.sessionId === id;
    const found = await this.#findSession(organizationId, id);
    if (found && found.user_id !== userId)
      throw forbidden(`Session ${id} belongs to another user. Name one of your own, or none.`);
    if (!isOwn && apiKey?.scopes && !apiKey.scopes.has('sessions:write')) return undefined;
    const workspaceId = found?.workspace_id ?? (isOwn ? apiKey?.workspaceId : undefined);
    if (!workspaceId) return undefined;
    if (apiKey?.workspaceId && apiKey.workspaceId !== workspaceId)
      throw forbidden(`Session ${id} is in another workspace than the one that this key is limited to.`);
    const place = { organizationId, workspaceId };
    return this.#scopes.get(`${workspaceId} ${userId}`, () =>
      scopeOf(this.#options.db, place, userId, requestId),
    );
  }

  async #findSession(organizationId: string, id: string): Promise<SessionPlace | undefined> {
    const { rows } = await sql<SessionPlace>`
      SELECT user_id, workspace_id FROM sessions WHERE organization_id = ${organizationId} AND id = ${id}`.execute(
      this.#options.db,
    );
    return rows[0];
  }

  #follow(scope: OrgScope, links: CallLinks, session: WorkspaceScope | undefined): Recording {
    const assembled = new AssembledMessage();
    return {
      note: (part) => assembled.note(part),
      ended: async (end) => {
        const written = this.#writeSpan(scope, { links, session, end, assembled });
        if (session && links.sessionId !== null)
          await this.#record(session, links.sessionId, end, assembled, scope).catch((error: unknown) => {
            if (!isRefusal(error)) throw error;
            // The session was deleted or moved in between. The response was charged, so the caller still gets it.
            this.#options.log.warn({ err: error, callId: end.callId }, 'a model call could not be recorded');
          });
        await written;
      },
      findResponse: async (request) =>
        session && links.sessionId !== null
          ? this.#findResponse(session, links.sessionId, request)
          : undefined,
    };
  }

  /** @returns undefined also when the recording is incomplete */
  async #findResponse(session: WorkspaceScope, sessionId: string, request: ChatCompletionRequest) {
    if ((request.n ?? 1) > 1 || request['logprobs']) return undefined;
    const found = await findRecordedResponse(
      this.#options.db,
      session,
      sessionId,
      toRecordedRequest(request),
    );
    // The provider requires its reasoning back with its signature, which is not stored.
    return nativeOf(request) && found?.metadata?.['openai'] ? undefined : found;
  }

  async #record(
    session: WorkspaceScope,
    sessionId: string,
    { callId, request, totals, failure }: ObservedEnd,
    assembled: AssembledMessage,
    { principal: { sandbox } }: OrgScope,
  ): Promise<void> {
    if (!totals) return;
    const { message, finishReason, isSilent } = assembled;
    const interruption = failure ?? (isSilent ? 'The response holds no text and no tool call.' : undefined);
    const { db } = this.#options;
    // The session of a sandbox is created by its first call.
    if (sandbox?.sessionId === sessionId && !(await this.#findSession(session.organizationId, sessionId)))
      await createSession(db, session, {
        id: sessionId,
        model: request.model,
        title: sandbox.runtimeName,
        runtime_id: sandbox.runtimeId,
      });
    await recordExchange(db, session, sessionId, {
      callId,
      ...toRecordedRequest(request),
      response: {
        message,
        finishReason,
        usage: toUsage(totals),
        ...(interruption !== undefined && { interruption }),
      },
    });
  }

  /** Never fails: the call and its messages are stored even when the span is not. */
  async #writeSpan(scope: OrgScope, options: SpanOptions): Promise<void> {
    const { db, writeSpan, log } = this.#options;
    try {
      const body = await toCallSpan(db, scope, options);
      if (body !== undefined) await writeSpan(scope, body);
    } catch (err) {
      log.warn({ err, callId: options.end.callId }, 'the span of a model call could not be stored');
    }
  }
}

const isRefusal = (error: unknown) => error instanceof ApiError && error.status < 500;

const nativeOf = (request: object) => (request as ChatRequest)[NATIVE];

/** Removes the fields that do not change the response, so that streamed and whole calls compare equal. */
function toRecordedRequest({ model, messages, tools, ...others }: ChatCompletionRequest) {
  const { stream: _, stream_options: __, metadata: ___, ...parameters } = others;
  const native = nativeOf(others);
  return {
    model,
    messages,
    tools: Array.isArray(tools) ? tools : undefined,
    parameters: { ...parameters, ...(native && { native: { ...native.body, stream: undefined } }) },
  };
}

function toUsage({ usage, costUsd }: CallTotals) {
  const { inputTokens, outputTokens, cacheReadInputTokens: read, cacheCreationInputTokens: created } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - read - created),
    output_tokens: outputTokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: created,
    cost_usd: costUsd,
  };
}
