/** The messages of a session. */
import type {
  TranscriptAppendRequest,
  TranscriptAppendResponse,
  TranscriptCompactRequest,
  TranscriptCompactResponse,
  TranscriptResponse,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import { type OneSession, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main', session_id: crypto.randomUUID() };
 * await drydock.sessions.save(where, { id: where.session_id, model: 'acme/large' });
 * const messages = [
 *   { id: 'm1', role: 'user' as const, content: 'Which files are here?' },
 *   { id: 'm2', role: 'assistant' as const, content: 'README.md' },
 * ];
 * await drydock.transcripts.append(where, { messages });
 * const again = await drydock.transcripts.append(where, { messages }); // stored once, whatever happens on the way
 * console.log(again.messages); // → [ { id: 'm1', seq: 1 }, { id: 'm2', seq: 2 } ]
 *
 * const summary = { role: 'user' as const, content: 'There is a README.md.' };
 * await drydock.transcripts.compact(where, { up_to_seq: 2, summary });
 * const { messages: current } = await drydock.transcripts.get(where);
 * console.log(current.length, current[0]?.era); // → 1 1
 * ```
 */
export class Transcripts extends Resource {
  /** Stores all of the messages or none; a message with a known id is not stored again. */
  append(
    where: OneSession,
    request: TranscriptAppendRequest,
    options?: CallOptions,
  ): Promise<TranscriptAppendResponse> {
    return this.client.call('appendTranscript', { path: where, body: request }, options);
  }

  /** Returns messages after `after_seq`, by default of the current era. */
  get(
    where: OneSession,
    query?: QueryOf<'getTranscript'>,
    options?: CallOptions,
  ): Promise<TranscriptResponse> {
    return this.client.call('getTranscript', { path: where, ...(query && { query }) }, options);
  }

  /** Starts a new era, in which a summary replaces the earlier messages. Nothing is deleted. */
  compact(
    where: OneSession,
    request: TranscriptCompactRequest,
    options?: CallOptions,
  ): Promise<TranscriptCompactResponse> {
    return this.client.call('compactTranscript', { path: where, body: request }, options);
  }
}
