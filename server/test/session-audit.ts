/** Reads a transcript completely and computes the figures of its session again from its messages alone. */
import { expect } from 'vitest';
import type { SessionOf } from '../src/sessions/schema.ts';
import type { StoredMessageOf } from '../src/sessions/transcript/schema.ts';
import type { SentMessage, SessionPlace } from './session-writers.ts';

interface TranscriptPage {
  readonly session: SessionOf;
  readonly messages: readonly StoredMessageOf[];
  readonly has_more: boolean;
}

/** Reads all eras; fails if a number is missing or duplicate, or a figure of the session differs from that of its messages. */
export async function auditTranscript(place: SessionPlace, id: string): Promise<StoredMessageOf[]> {
  const messages: StoredMessageOf[] = [];
  for (let hasMore = true; hasMore; ) {
    const query = `after_seq=${messages.at(-1)?.seq ?? 0}&limit=200&include_compacted=true`;
    const { body } = await place.send('GET', `/sessions/${id}/transcript?${query}`);
    const page = body as TranscriptPage;
    messages.push(...page.messages);
    hasMore = page.has_more;
  }
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  expect(new Set(messages.map((message) => message.id)).size).toBe(messages.length);
  const session = await place.send('GET', `/sessions/${id}`);
  expect(session.body).toMatchObject(recount(messages));
  return messages;
}

/** The expected form of a stored message, regardless of its sender. */
export const asSent = ({ id, role, content, tool_calls, tool_call_id, usage }: SentMessage) => ({
  id,
  role,
  content,
  tool_calls: tool_calls ?? null,
  tool_call_id: tool_call_id ?? null,
  usage: usage ? { ...usage, cost_usd: usage.cost_usd ?? null } : null,
});

const PREVIEW = 200;

function recount(messages: readonly StoredMessageOf[]) {
  const boundaries = messages.map(({ compacted_up_to_seq }) => compacted_up_to_seq ?? 0);
  const current = messages.filter(({ seq }) => seq > Math.max(0, ...boundaries));
  const first = messages.find(({ role }) => role === 'user');
  return {
    message_count: messages.length,
    recent_message_count: Math.min(25, current.length),
    last_message_at: messages.at(-1)?.created_at ?? null,
    preview_text: first ? Array.from(first.content).slice(0, PREVIEW).join('') : null,
    usage: {
      ...figuresOf('current', current),
      ...figuresOf('total', messages),
      compaction_count: boundaries.filter((boundary) => boundary > 0).length,
      last_generation_input_tokens: generations(messages).at(-1)?.input_tokens ?? null,
    },
  };
}

const generations = (messages: readonly StoredMessageOf[]) =>
  messages.flatMap(({ role, usage }) => (role === 'assistant' && usage ? usage : []));

function figuresOf(span: 'current' | 'total', messages: readonly StoredMessageOf[]) {
  const made = generations(messages);
  const sum = (read: (usage: (typeof made)[number]) => number) =>
    made.reduce((total, usage) => total + read(usage), 0);
  const isPriced = made.every(({ cost_usd }) => cost_usd !== null);
  return {
    [`${span}_message_count`]: messages.length,
    [`${span}_input_tokens`]: sum(({ input_tokens }) => input_tokens),
    [`${span}_output_tokens`]: sum(({ output_tokens }) => output_tokens),
    [`${span}_cache_read_input_tokens`]: sum((usage) => usage.cache_read_input_tokens),
    [`${span}_cache_creation_input_tokens`]: sum((usage) => usage.cache_creation_input_tokens),
    [`${span}_tool_call_count`]: messages.reduce(
      (total, message) => total + (message.tool_calls?.length ?? 0),
      0,
    ),
    [`${span}_cost_usd`]: isPriced ? sum(({ cost_usd }) => cost_usd ?? 0) : null,
  };
}
