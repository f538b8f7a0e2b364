/** The bare statements that store a session and a batch of messages: named, so that PostgreSQL plans each once. */
import type { MessageSample, SessionSample } from './session-samples.ts';

export interface Place {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

export const INSERT_SESSION = {
  name: 'insert-session',
  text: `INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, agent, title, origin, visibility, labels,
                               group_id, project_id, claimed_message_count, search_text)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
};

/** Separates title and preview. */
const BETWEEN = '\uFFFF';

export const toSessionValues = (place: Place, session: SessionSample) => [
  place.organizationId,
  session.id,
  place.workspaceId,
  place.userId,
  session.model,
  session.agent,
  session.title,
  'user',
  'private',
  JSON.stringify(session.labels),
  null,
  null,
  0,
  session.title.toLowerCase() + BETWEEN,
];

export const INSERT_MESSAGES = {
  name: 'insert-messages',
  text: `INSERT INTO session_messages (organization_id, session_id, workspace_id, rewind_count, seq, id, parent_id, role,
                                       content, tool_calls, tool_call_count, tool_call_id, model, metadata, input_tokens,
                                       output_tokens, cache_read_input_tokens, cache_creation_input_tokens, cost_usd,
                                       search_text, created_at)
         SELECT $1, $2, $3, 0, m.*, clock_timestamp()
           FROM unnest($4::int[], $5::text[], $6::text[], $7::text[], $8::text[], $9::json[], $10::int[], $11::text[],
                       $12::text[], $13::json[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
                       $18::numeric[], $19::text[]) AS m`,
};

export function toMessageValues(
  place: Place & { readonly sessionId: string },
  firstSeq: number,
  messages: readonly MessageSample[],
  searchTexts: readonly string[],
) {
  const usages = messages.map(({ usage }) => usage);
  return [
    place.organizationId,
    place.sessionId,
    place.workspaceId,
    messages.map((_, index) => firstSeq + index),
    messages.map(({ id }) => id),
    messages.map(() => null),
    messages.map(({ role }) => role),
    messages.map(({ content }) => content),
    messages.map(({ tool_calls }) => (tool_calls ? JSON.stringify(tool_calls) : null)),
    messages.map(({ tool_calls }) => tool_calls?.length ?? 0),
    messages.map(({ tool_call_id }) => tool_call_id ?? null),
    messages.map(({ role }) => (role === 'assistant' ? 'sim/model-0' : null)),
    messages.map(() => null),
    usages.map((usage) => usage?.input_tokens ?? null),
    usages.map((usage) => usage?.output_tokens ?? null),
    usages.map((usage) => usage?.cache_read_input_tokens ?? null),
    usages.map((usage) => usage?.cache_creation_input_tokens ?? null),
    usages.map((usage) => usage?.cost_usd ?? null),
    searchTexts,
  ];
}
