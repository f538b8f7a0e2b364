/** Records the calls of clients: as messages of the session that they belong to, and as a span of the trace that they are part of. */
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

/** Stores a span in the form of OTLP's JSON. */
export type WriteSpan = (scope: OrgScope, body: string) => Promise<void>;

export interface CallRecorderOptions {
  readonly db: Db;
  readonly writeSpan: WriteSpan;
  readonly log: Log;
}

/** A call that is recorded. */
export interface Recording extends CallObserver {
  /** The response to the same call that was recorded before; for a client that repeats a call whose response it did not get. */
  findResponse(request: ChatCompletionRequest): ReturnType<typeof findRecordedResponse>;
}

interface SessionPlace {
  readonly user_id: string;
  readonly workspace_id: string;
}

export class CallRecorder {
  readonly #options: CallRecorderOptions;
  /** Rights are asked for again at least every 0.7 s. */
  readonly #scopes = new ShortMemory<WorkspaceScope>();

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined for a call that belongs to no session and to no trace. An id without a session passes, and is not recorded: spans
   *   and calls often come before their session is saved. So does one of a key that may not write sessions.
   * @throws {ApiError} `forbidden_error` for the session of another user, or of another workspace than that of the key
   */
  async open(scope: OrgScope, links: CallLinks): Promise<Recording | undefined> {
    const session = links.sessionId === null ? undefined : await this.#enterSession(scope, links.sessionId);
    if (!session && links.traceId === null) return undefined;
    return this.#follow(scope, links, session);
  }

  /** @returns the scope in which the session is written; undefined where there is no such session, and none is created for a sandbox */
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
            // The session was deleted or moved meanwhile. The response is paid for, so the caller gets it.
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

  /** @returns undefined also where the record does not hold all of the response */
  async #findResponse(session: WorkspaceScope, sessionId: string, request: ChatCompletionRequest) {
    if ((request.n ?? 1) > 1 || request['logprobs']) return undefined;
    const found = await findRecordedResponse(this.#options.db, session, sessionId, toAsked(request));
    // The provider demands its thinking back with its signature, which is not stored.
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
    // The session of a sandbox is created with its first call.
    if (sandbox?.sessionId === sessionId && !(await this.#findSession(session.organizationId, sessionId)))
      await createSession(db, session, {
        id: sessionId,
        model: request.model,
        title: sandbox.runtimeName,
        runtime_id: sandbox.runtimeId,
      });
    await recordExchange(db, session, sessionId, {
      callId,
      ...toAsked(request),
      response: {
        message,
        finishReason,
        usage: toUsage(totals),
        ...(interruption !== undefined && { interruption }),
      },
    });
  }

  /** Never fails: the call and its messages are stored without it. */
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

/** The same for a response that is streamed and for one that is not. */
function toAsked({ model, messages, tools, ...others }: ChatCompletionRequest) {
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
