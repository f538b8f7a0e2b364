/**
 * Digests of conversations. Each message extends the digest of those before it, so that one digest of 32 bytes shows whether a request
 * continues a session, however long that is.
 */
import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../platform/canonical-json.ts';
import type { MessageRequest } from '../transcript/schema.ts';

export type Compared = Pick<MessageRequest, 'role' | 'content' | 'tool_calls' | 'tool_call_id'>;

export const NO_MESSAGES: Buffer = createHash('sha256').digest();

/** @returns the digest of every prefix: of no messages, of the first, of the first two, … */
export function digestBeginnings(messages: readonly Compared[]): readonly Buffer[] {
  const digests = [NO_MESSAGES];
  for (const message of messages) digests.push(extendDigest(digests.at(-1) ?? NO_MESSAGES, message));
  return digests;
}

export const extendDigest = (before: Buffer, message: Compared): Buffer =>
  createHash('sha256').update(before).update(toComparable(message)).digest();

export const isSameMessage = (one: Compared, other: Compared) => toComparable(one) === toComparable(other);

/**
 * Clients send back a response with its outer whitespace trimmed, and with the arguments of its tool calls parsed and serialized again. The
 * message still counts as the same.
 */
function toComparable({ role, content, tool_calls, tool_call_id }: Compared): string {
  const calls = (tool_calls ?? []).map(({ id, name, arguments: given }) => [
    id,
    name,
    toComparableArguments(given),
  ]);
  return JSON.stringify([role, content.trim(), calls, tool_call_id ?? null]);
}

function toComparableArguments(given: string): string {
  try {
    return toCanonicalJson(JSON.parse(given));
  } catch {
    return given;
  }
}

/** Digests the model, system prompt and tools of a call, to compare two calls. */
export const digestContext = (context: unknown): Buffer =>
  createHash('sha256').update(JSON.stringify(context)).digest();
