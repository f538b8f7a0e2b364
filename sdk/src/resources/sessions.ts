/** Sessions: the messages and actions of an agent, searchable, and exportable as a trajectory. */
import type { EventOptions, EventStream } from '../event-stream.ts';
import type {
  LineageResponse,
  SessionCreateRequest,
  SessionFacetsResponse,
  SessionImportRequest,
  SessionListResponse,
  SessionResponse,
  SessionRewindRequest,
  SessionRewindResponse,
  SessionTrajectory,
  SessionUpdateRequest,
} from '../models.gen.ts';
import type { QueryOf } from '../operation-types.ts';
import type { List } from '../pages.ts';
import { type InWorkspace, type OneSession, Resource } from '../resource.ts';
import type { CallOptions } from '../transport.ts';

/**
 * @example
 * ```ts
 * const where = { org: 'main', workspace: 'main' };
 * const id = crypto.randomUUID();
 * await drydock.sessions.save(where, { id, model: 'acme/large', agent: 'helper', labels: { team: ['red'] } });
 * const messages = [{ role: 'user' as const, content: 'Which files are here?' }];
 * await drydock.transcripts.append({ ...where, session_id: id }, { messages });
 *
 * for await (const session of drydock.sessions.list(where, { label: ['team:red'], search: 'WHICH FILES' })) {
 *   console.log(session.preview_text); // → Which files are here?
 * }
 * const { agents } = await drydock.sessions.facets(where, { model: ['acme/large'] });
 * console.log(agents); // → [ { value: 'helper', count: 1 } ]
 *
 * const trajectory = await drydock.sessions.trajectory({ ...where, session_id: id }, { format: 'atif' });
 * const copy = await drydock.sessions.import(where, trajectory);
 * console.log(copy.message_count, copy.id === id); // → 1 false
 * ```
 */
export class Sessions extends Resource {
  /** Creates a session, or changes the given fields of one of yours. You choose the id. */
  save(where: InWorkspace, request: SessionCreateRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('saveSession', { path: where, body: request }, options);
  }

  /** Lists your own sessions and those shared with the workspace. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listSessions'>,
    options?: CallOptions,
  ): List<SessionListResponse> {
    return this.client.list('listSessions', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** Counts sessions by agent, model, origin, user, group and label. */
  facets(
    where: InWorkspace,
    filters?: QueryOf<'getSessionFacets'>,
    options?: CallOptions,
  ): Promise<SessionFacetsResponse> {
    return this.client.call('getSessionFacets', { path: where, ...(filters && { query: filters }) }, options);
  }

  get(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('getSession', { path: where }, options);
  }

  /** Changes the given fields. A shared session stays shared. */
  update(where: OneSession, request: SessionUpdateRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('updateSession', { path: where, body: request }, options);
  }

  /** Deletes a session with its transcript. */
  delete(where: OneSession, options?: CallOptions): Promise<void> {
    return this.client.call('deleteSession', { path: where }, options);
  }

  /** Archives a session: lists leave it out by default. */
  archive(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('archiveSession', { path: where }, options);
  }

  unarchive(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('unarchiveSession', { path: where }, options);
  }

  /** Freezes the transcript permanently. */
  freeze(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('freezeSession', { path: where }, options);
  }

  /** Removes the messages from a given one on. */
  rewind(
    where: OneSession,
    request: SessionRewindRequest,
    options?: CallOptions,
  ): Promise<SessionRewindResponse> {
    return this.client.call('rewindSession', { path: where, body: request }, options);
  }

  /** Returns the whole session as one document, by default in `atif`. */
  trajectory(
    where: OneSession,
    query?: QueryOf<'getSessionTrajectory'>,
    options?: CallOptions,
  ): Promise<SessionTrajectory> {
    return this.client.call('getSessionTrajectory', { path: where, ...(query && { query }) }, options);
  }

  /** Returns what the session was made from, and what was made from it. */
  getLineage(
    where: OneSession,
    query?: QueryOf<'getSessionLineage'>,
    options?: CallOptions,
  ): Promise<LineageResponse> {
    return this.client.call('getSessionLineage', { path: where, ...(query && { query }) }, options);
  }

  /** Creates a session from a document in ATIF, or from messages in OpenAI's form. */
  import(where: InWorkspace, request: SessionImportRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('importSession', { path: where, body: request }, options);
  }

  /** Follows the changes of the session: `messages`, `session`, `compacted`, `rewound`. */
  events(where: OneSession, options?: EventOptions): EventStream {
    return this.client.events('streamSessionEvents', { path: where }, options);
  }
}
