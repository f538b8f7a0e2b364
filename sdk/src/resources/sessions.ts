/** Sessions: what an agent said and did, found by what it was about, and taken along as a trajectory. */
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
  /** Creates a session, or changes what is given of one of yours. The id is yours to make. */
  save(where: InWorkspace, request: SessionCreateRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('saveSession', { path: where, body: request }, options);
  }

  /** Your own sessions and those that are shared with the workspace. */
  list(
    where: InWorkspace,
    filters?: QueryOf<'listSessions'>,
    options?: CallOptions,
  ): List<SessionListResponse> {
    return this.client.list('listSessions', { path: where, ...(filters && { query: filters }) }, options);
  }

  /** How many sessions there are of each agent, model, origin, user, group and label. */
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

  /** Changes what is given. A session that is shared stays so. */
  update(where: OneSession, request: SessionUpdateRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('updateSession', { path: where, body: request }, options);
  }

  /** Deletes a session with its transcript. */
  delete(where: OneSession, options?: CallOptions): Promise<void> {
    return this.client.call('deleteSession', { path: where }, options);
  }

  /** Puts a session away: lists leave it out unless they are asked. */
  archive(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('archiveSession', { path: where }, options);
  }

  unarchive(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('unarchiveSession', { path: where }, options);
  }

  /** From then on the transcript does not change, for good. */
  freeze(where: OneSession, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('freezeSession', { path: where }, options);
  }

  /** Takes back the messages from one on. */
  rewind(
    where: OneSession,
    request: SessionRewindRequest,
    options?: CallOptions,
  ): Promise<SessionRewindResponse> {
    return this.client.call('rewindSession', { path: where, body: request }, options);
  }

  /** The whole session as one document: `atif` unless another format is asked for. */
  trajectory(
    where: OneSession,
    query?: QueryOf<'getSessionTrajectory'>,
    options?: CallOptions,
  ): Promise<SessionTrajectory> {
    return this.client.call('getSessionTrajectory', { path: where, ...(query && { query }) }, options);
  }

  /** What the session was made from, and what was made from it. */
  getLineage(
    where: OneSession,
    query?: QueryOf<'getSessionLineage'>,
    options?: CallOptions,
  ): Promise<LineageResponse> {
    return this.client.call('getSessionLineage', { path: where, ...(query && { query }) }, options);
  }

  /** A new session from a document in ATIF, or from messages as OpenAI has them. */
  import(where: InWorkspace, request: SessionImportRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.client.call('importSession', { path: where, body: request }, options);
  }

  /** What happens to the session, as it happens: `messages`, `session`, `compacted`, `rewound`. */
  events(where: OneSession, options?: EventOptions): EventStream {
    return this.client.events('streamSessionEvents', { path: where }, options);
  }
}
