/** Records model calls as session messages, each message once, however often the agent sends it. */
import { sql } from 'kysely';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Trx, transactionFor } from '../../platform/db/transaction.ts';
import { toStorable } from '../../platform/storable-text.ts';
import { appendMessages } from '../transcript/append.ts';
import { readMessages } from '../transcript/read-messages.ts';
import { rewindSession } from '../transcript/rewind.ts';
import type { MessageRequest, StoredMessageOf, TranscriptContextRequest } from '../transcript/schema.ts';
import { readChat, readMessage } from './chat-messages.ts';
import { digestBeginnings, digestContext, extendDigest, isSameMessage, NO_MESSAGES } from './digests.ts';
import { type Continued, findContinued, lockRoot, openSibling, type RootSession } from './family.ts';

/** A model call with a complete or partial response, in the form of Chat Completions. */
export interface Exchange {
  readonly callId: string;
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[] | undefined;
  /** All other parameters that influence the response, such as `temperature`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly response: {
    readonly message: unknown;
    readonly finishReason: string | null;
    readonly usage: NonNullable<MessageRequest['usage']>;
    /** Why the response was interrupted. The next response to the same messages replaces it. */
    readonly interruption?: string | undefined;
  };
}

/** @returns the session that holds the call; undefined when the root is frozen and nothing was recorded */
export function recordExchange(
  db: Db,
  scope: WorkspaceScope,
  rootId: string,
  exchange: Exchange,
): Promise<string | undefined> {
  return transactionFor(db, scope, async (trx) => {
    const root = await lockRoot(trx, scope, rootId);
    if (root.frozen_at !== null) return undefined;
    const { systemPrompt, messages } = readChat(exchange.messages);
    const beginnings = digestBeginnings(messages);
    const found = await findContinued(trx, scope, root, beginnings);
    const continued = found ?? {
      sessionId: await openSibling(trx, scope, root, exchange.model),
      messageCount: 0,
      contextDigest: undefined,
      interruptedSeq: null,
    };
    const { sessionId } = continued;
    const unseen = messages.slice(continued.messageCount);
    const { superseded, rest } = await settleInterrupted(trx, scope, continued, unseen);
    const response = toResponse(exchange, superseded);
    const context = toContext(exchange, systemPrompt);
    const contextDigest = digestContext(context);
    const isNewContext = !continued.contextDigest?.equals(contextDigest);
    const stored = [...rest, response].map((message) =>
      root.record_content ? message : withoutContent(message),
    );
    const { messages: places } = await appendMessages(trx, scope, sessionId, {
      messages: stored,
      ...(isNewContext && { context: root.record_content ? context : { model: context.model } }),
    });
    const promptDigest = beginnings.at(-1) ?? NO_MESSAGES;
    const isWhole = exchange.response.interruption === undefined;
    await keepPlace(trx, scope, root, {
      sessionId,
      messageCount: messages.length + (isWhole ? 1 : 0),
      digest: isWhole ? extendDigest(promptDigest, response) : promptDigest,
      requestDigest: digestRequest(exchange),
      contextDigest,
      interruptedSeq: isWhole ? null : (places.at(-1)?.seq ?? null),
    });
    return sessionId;
  });
}

/** @returns the messages to store, and the interrupted response that the next one replaces */
async function settleInterrupted(
  trx: Trx,
  scope: WorkspaceScope,
  { sessionId, interruptedSeq }: Continued,
  unseen: readonly MessageRequest[],
): Promise<{ readonly superseded: StoredMessageOf | undefined; readonly rest: readonly MessageRequest[] }> {
  if (interruptedSeq === null) return { superseded: undefined, rest: unseen };
  const [interrupted] = await readMessages(trx, scope, sessionId, { afterSeq: interruptedSeq - 1, limit: 1 });
  const [next, ...others] = unseen;
  // The agent continues with the partial response.
  if (next && interrupted && isSameMessage(next, interrupted)) return { superseded: undefined, rest: others };
  await rewindSession(trx, scope, sessionId, { from_seq: interruptedSeq });
  return { superseded: interrupted, rest: unseen };
}

/** A response that replaces an interrupted one keeps the interrupted text in its metadata and includes its usage: both were paid for. */
function toResponse(
  { callId, response: { message, finishReason, usage, interruption } }: Exchange,
  superseded: StoredMessageOf | undefined,
): MessageRequest {
  const read = readMessage(message);
  const before = superseded?.usage;
  const interrupted = superseded && [
    ...asList(superseded.metadata?.['interrupted']),
    { content: superseded.content, reason: superseded.metadata?.['interruption'] ?? null },
  ];
  return {
    ...read,
    role: 'assistant',
    metadata: {
      ...read.metadata,
      inference_call_id: callId,
      finish_reason: finishReason,
      ...(interruption !== undefined && { interruption }),
      ...(interrupted && { interrupted }),
    },
    usage: before ? addUsage(usage, before) : usage,
  };
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type Usage = NonNullable<MessageRequest['usage']>;

const addUsage = (a: Usage, b: NonNullable<StoredMessageOf['usage']>): Usage => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
  cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  cost_usd: (a.cost_usd ?? 0) + (b.cost_usd ?? 0),
});

function toContext(
  { model, tools }: Pick<Exchange, 'model' | 'tools'>,
  systemPrompt: string,
): TranscriptContextRequest {
  const definitions = (tools ?? []).filter(
    (tool): tool is Record<string, unknown> => typeof tool === 'object' && tool !== null,
  );
  const [prompt, storedTools] = toStorable([systemPrompt, definitions] as const);
  return { model, system_prompt: prompt, tools: [...storedTools] };
}

/** Keeps the role, the names of called tools and the usage. */
function withoutContent(message: MessageRequest): MessageRequest {
  const { inference_call_id, finish_reason, interruption } = message.metadata ?? {};
  return {
    ...message,
    content: '',
    tool_calls: message.tool_calls?.map((call) => ({ ...call, arguments: '' })) ?? null,
    metadata: {
      ...(inference_call_id !== undefined && { inference_call_id, finish_reason }),
      ...(interruption !== undefined && { interruption }),
      content_omitted: message.content.length,
    },
  };
}

interface RecordedPlace {
  readonly sessionId: string;
  readonly messageCount: number;
  readonly digest: Buffer;
  readonly requestDigest: Buffer;
  readonly contextDigest: Buffer;
  readonly interruptedSeq: number | null;
}

async function keepPlace(
  trx: Trx,
  { organizationId }: WorkspaceScope,
  { id: rootId }: RootSession,
  { sessionId, messageCount, digest, requestDigest, contextDigest, interruptedSeq }: RecordedPlace,
): Promise<void> {
  await sql`
    INSERT INTO session_recordings AS r (organization_id, session_id, root_session_id, last_seq, rewind_count, message_count, digest,
                                         prompt_digest, context_digest, interrupted_seq)
    SELECT s.organization_id, s.id, ${rootId}, s.last_seq, s.rewind_count, ${messageCount}, ${digest}, ${requestDigest},
           ${contextDigest}, ${interruptedSeq}
      FROM sessions AS s WHERE s.organization_id = ${organizationId} AND s.id = ${sessionId}
    ON CONFLICT (organization_id, session_id) DO UPDATE
       SET last_seq = excluded.last_seq, rewind_count = excluded.rewind_count, message_count = excluded.message_count,
           digest = excluded.digest, prompt_digest = excluded.prompt_digest, context_digest = excluded.context_digest,
           interrupted_seq = excluded.interrupted_seq, updated_at = clock_timestamp()`.execute(trx);
}

/** The parts of a call that identify a repeated request. */
export type RecordedRequest = Pick<Exchange, 'model' | 'messages' | 'tools' | 'parameters'>;

/** Includes the messages exactly as sent, with images: a conversation with another image has another response. */
const digestRequest = ({ messages, parameters }: RecordedRequest) => digestContext([messages, parameters]);

/**
 * Finds the response recorded for the same request, so that a client that lost its connection after the response was stored does not pay
 * twice.
 */
export async function findRecordedResponse(
  db: Db,
  { organizationId }: Pick<WorkspaceScope, 'organizationId'>,
  rootId: string,
  request: RecordedRequest,
): Promise<StoredMessageOf | undefined> {
  const contextDigest = digestContext(toContext(request, readChat(request.messages).systemPrompt));
  const { rows } = await sql<{ session_id: string; last_seq: number }>`
    SELECT r.session_id, r.last_seq
      FROM session_recordings AS r
      JOIN sessions AS s ON s.organization_id = r.organization_id AND s.id = r.session_id
     WHERE r.organization_id = ${organizationId} AND r.root_session_id = ${rootId} AND r.prompt_digest = ${digestRequest(request)}
       AND r.context_digest = ${contextDigest} AND r.interrupted_seq IS NULL
       AND r.last_seq = s.last_seq AND r.rewind_count = s.rewind_count
     ORDER BY r.updated_at DESC LIMIT 1`.execute(db);
  const [found] = rows;
  if (!found) return undefined;
  const place = { afterSeq: found.last_seq - 1, limit: 1 };
  const [message] = await readMessages(db, { organizationId }, found.session_id, place);
  return message?.metadata && 'content_omitted' in message.metadata ? undefined : message;
}
