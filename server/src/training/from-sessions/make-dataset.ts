/** Makes a dataset of trajectories from sessions that the caller can see. */
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { z } from 'zod';
import { renewScope } from '../../accounts/service.ts';
import { listSampleSessions, type SampleSession } from '../../evaluations/service.ts';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import { ApiError, invalidValue } from '../../platform/errors.ts';
import { type LineageParent, toWorkspaceNode } from '../../platform/lineage/lineage.ts';
import { type NewFile, type PublishStore, publishVersion } from '../../registry/service.ts';
import { exportTrajectory, listSessions, SessionQuery } from '../../sessions/service.ts';
import type { DatasetFromSessionsResponse, FromSessionsRequest } from './schema.ts';

const PAGE = 100;
/** Documents are kept in memory until the dataset is published. */
const MAX_CHARACTERS = 200_000_000;

interface Conversation {
  readonly sessionId: string;
  /** The evaluation that the request names and that has the session. */
  readonly evaluationId: string | null;
  readonly line: string;
  readonly sha256: string;
}

/** @throws {ApiError} `validation_error` where no session matches, or too much does; `already_exists_error` for a version that exists */
export async function makeDataset(
  store: PublishStore,
  scope: WorkspaceScope,
  request: FromSessionsRequest,
  signal: AbortSignal,
): Promise<z.output<typeof DatasetFromSessionsResponse>> {
  const samples = await findSamples(store, scope, request);
  const conversations = new Map<string, Conversation>();
  const counts = { sessions: 0, duplicates: 0, empty: 0 };
  let characters = 0;
  for await (const session of findSessions(store, scope, request, samples)) {
    signal.throwIfAborted();
    counts.sessions++;
    const found = await readConversation(store, scope, session, request.format, samples?.get(session));
    if (!found) {
      counts.empty++;
      continue;
    }
    const key = request.dedupe ? found.sha256 : session;
    if (conversations.has(key)) {
      counts.duplicates++;
      continue;
    }
    conversations.set(key, found);
    characters += found.line.length;
    if (characters > MAX_CHARACTERS)
      throw invalidValue(
        ['body', 'max_sessions'],
        `The sessions hold more than ${MAX_CHARACTERS.toLocaleString('en')} characters; lower it, or narrow the filter.`,
      );
  }
  if (conversations.size === 0)
    throw invalidValue(['body', 'filter'], 'matches no session with a message of an assistant');
  const splits = divide([...conversations.values()], request);
  await publish(store, scope, request, splits, signal);
  return {
    name: request.name,
    version: request.version,
    format: request.format,
    sessions: counts.sessions,
    rows: conversations.size,
    duplicates: counts.duplicates,
    empty_sessions: counts.empty,
    splits: Object.fromEntries(Object.entries(splits).map(([name, rows]) => [name, rows.length])),
  };
}

async function findSamples({ db }: PublishStore, scope: WorkspaceScope, request: FromSessionsRequest) {
  const { evaluation_ids, min_score, passed } = request;
  if (!evaluation_ids) return undefined;
  const samples = await listSampleSessions(db, scope, evaluation_ids);
  const chosen = samples.filter(
    (sample) =>
      ((min_score ?? null) === null || (sample.score ?? -Infinity) >= (min_score ?? 0)) &&
      ((passed ?? null) === null || sample.passed === passed),
  );
  return new Map(chosen.map((sample) => [sample.session_id, sample]));
}

/** Ids of sessions. Where they are named, by the request or as those of samples, they are not searched for. */
async function* findSessions(
  { db }: PublishStore,
  scope: WorkspaceScope,
  { filter, session_ids, max_sessions }: FromSessionsRequest,
  samples: ReadonlyMap<string, SampleSession> | undefined,
): AsyncGenerator<string> {
  const named = session_ids ?? (samples && [...samples.keys()]);
  const isWanted = (id: string) => !samples || samples.has(id);
  if (named && !filter) {
    yield* named.filter(isWanted).slice(0, max_sessions);
    return;
  }
  const ids = named && new Set(named);
  const query = SessionQuery.parse(filter ?? {});
  // Sessions of samples are not those of users, which alone are listed by default.
  const all = samples ? { ...query, include_workload_sessions: true } : query;
  for (let page = 1, count = 0; ; page++) {
    const order = { sort_by: 'created_at' as const, sort_dir: 'desc' as const, page, limit: PAGE };
    const { sessions } = await listSessions({ db }, scope, { ...all, ...order, exact_total: false });
    for (const { id } of sessions) {
      if ((ids && !ids.has(id)) || !isWanted(id)) continue;
      yield id;
      if (++count === max_sessions) return;
    }
    if (sessions.length < PAGE) return;
  }
}

async function readConversation(
  { db }: PublishStore,
  scope: WorkspaceScope,
  id: string,
  format: FromSessionsRequest['format'],
  sample: SampleSession | undefined,
): Promise<Conversation | undefined> {
  const pieces = await exportTrajectory(db, scope, id, { format, includeCompacted: true }).catch(
    (error: unknown) => {
      // A session that was deleted, or that the caller cannot see.
      if (!(error instanceof ApiError && error.type === 'not_found_error')) throw error;
    },
  );
  if (!pieces) return undefined;
  let text = '';
  for await (const piece of pieces) text += piece;
  const document = JSON.parse(text) as Record<string, unknown>;
  const content = contentOf(document);
  if (!content.some(({ isAgent }) => isAgent)) return undefined;
  const sha256 = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  // The document is one cell of text: rows of one dataset may then have any content, whatever types its cells would have.
  const row = { session_id: id, ...describe(document), score: sample?.score ?? null, trajectory: text };
  const line = `${JSON.stringify(row)}\n`;
  return { sessionId: id, evaluationId: sample?.evaluation_id ?? null, line, sha256 };
}

/** The model and the agent, as either format has them. */
function describe(document: Record<string, unknown>) {
  const { model = null, agent = null } = (document['metadata'] ?? {}) as Record<string, unknown>;
  const { model_name = null, name = null } = (document['agent'] ?? {}) as Record<string, unknown>;
  return { model: model ?? model_name, agent: agent ?? name };
}

/** What two conversations have in common when they are the same: without ids, times and figures. */
function contentOf(document: Record<string, unknown>) {
  const list = (document['messages'] ?? document['steps'] ?? []) as readonly Record<string, unknown>[];
  return list.map((one) => ({
    isAgent: one['role'] === 'assistant' || one['source'] === 'agent',
    role: one['role'] ?? one['source'],
    content: one['content'] ?? one['message'] ?? null,
    calls: ((one['tool_calls'] ?? []) as readonly Record<string, unknown>[]).map(
      (call) => call['function'] ?? [call['function_name'], call['arguments']],
    ),
    results: ((one['observation'] as { results?: { content?: unknown }[] } | undefined)?.results ?? []).map(
      ({ content }) => content,
    ),
  }));
}

/** Chosen by the hash of the conversation and the seed: the same conversations are divided in the same way again. */
function divide(
  conversations: readonly Conversation[],
  { validation_fraction, seed }: FromSessionsRequest,
): Readonly<Record<string, readonly Conversation[]>> {
  if (validation_fraction === 0) return { train: conversations };
  const placeOf = ({ sha256 }: Conversation) =>
    Number.parseInt(createHash('sha256').update(`${seed}:${sha256}`).digest('hex').slice(0, 12), 16) /
    16 ** 12;
  const byPlace = conversations.toSorted((a, b) => placeOf(a) - placeOf(b));
  const count = Math.min(conversations.length - 1, Math.round(conversations.length * validation_fraction));
  const validation = new Set(byPlace.slice(0, count));
  const train = conversations.filter((one) => !validation.has(one));
  return validation.size === 0 ? { train } : { train, validation: [...validation] };
}

async function publish(
  store: PublishStore,
  scope: WorkspaceScope,
  { name, version, summary, format }: FromSessionsRequest,
  splits: ReturnType<typeof divide>,
  signal: AbortSignal,
): Promise<void> {
  const manifest = {
    summary: summary ?? `Trajectories of sessions (${format})`,
    tags: ['trajectories', format],
    splits: Object.fromEntries(Object.keys(splits).map((split) => [split, `${split}.jsonl`])),
  };
  const files: NewFile[] = Object.entries(splits).map(([split, rows]) => ({
    path: `${split}.jsonl`,
    content: rows.map(({ line }) => line).join(''),
  }));
  const getScope = () => renewScope(store.db, scope);
  const all = [{ path: 'dataset.yaml', content: stringify(manifest) }, ...files];
  const made = { kind: 'dataset' as const, name, version, files: all, lineage: toLineage(scope, splits) };
  if (await publishVersion(store, getScope, made, signal)) return;
  throw new ApiError(
    'already_exists_error',
    `Dataset "${name}@${version}" exists already; give another version.`,
  );
}

/** Exactly the sessions whose conversations are rows, each with its place, and their evaluations that the request names. */
function toLineage({ workspaceId }: WorkspaceScope, splits: ReturnType<typeof divide>): LineageParent[] {
  const sessions = Object.entries(splits).flatMap(([split, conversations]) =>
    conversations.map(
      ({ sessionId: id }, row): LineageParent => ({
        node: toWorkspaceNode('session', { workspaceId, id }),
        relation: 'row',
        split,
        rows: [row],
      }),
    ),
  );
  const named = Object.values(splits).flatMap((conversations) =>
    conversations.flatMap(({ evaluationId }) => evaluationId ?? []),
  );
  const evaluations = [...new Set(named)].map(
    (id): LineageParent => ({
      node: toWorkspaceNode('evaluation', { workspaceId, id }),
      relation: 'samples',
    }),
  );
  return [...sessions, ...evaluations];
}
