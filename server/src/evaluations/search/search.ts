/** Searches the samples of an evaluation. The cost grows with the texts of this evaluation only. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/connect.ts';
import { type Place, requireEvaluation } from '../reading/store.ts';
import { BOUNDARY, foldText, toSearchedParts } from './fold-text.ts';
import { probesOf } from './gram-filter.ts';
import { type ItemSearchHitOf, type ItemSearchOf, MAX_MATCHES } from './schema.ts';
import { cutAround, findSnippet } from './snippet.ts';

/** One match more than is shown tells that there are more. */
const ENOUGH = MAX_MATCHES + 1;
/** The snippet of a longer message is cut from its folded text: reading 200 long messages for one line of each would take too long. */
const MAX_QUOTED_BYTES = 65_536;
const ERRORS_AT_ONCE = 1_000;

interface Search {
  readonly organizationId: string;
  readonly id: string;
  /** The folded query. */
  readonly text: string;
}

interface Match {
  readonly position: number;
  readonly matched_in: ItemSearchHitOf['matched_in'];
  readonly match_count: number;
  /** `seq` of the first message that matches; null where only the error or the task matches. */
  readonly seq: number | null;
  readonly error: string | null;
}

export async function searchItems(
  db: Db,
  scope: Place,
  evaluation: string,
  q: string,
): Promise<ItemSearchOf> {
  const id = await requireEvaluation(db, scope, evaluation);
  const text = foldText(q);
  if (text.trim() === '') return { matches: [], total: 0, has_more: false };
  const search = { organizationId: scope.organizationId, id, text };
  const found = new Map<number, Match>();
  for (const find of [findMessages, findErrors, findTasks])
    for (const match of await find(db, search))
      if (!found.has(match.position)) found.set(match.position, match);
  // Each search returns its first 201 samples, so the first 201 of all samples that match are among them.
  const first = [...found.values()].toSorted((a, b) => a.position - b.position);
  const matches = await toHits(db, search, first.slice(0, MAX_MATCHES));
  return { matches, total: matches.length, has_more: first.length > MAX_MATCHES };
}

async function findMessages(db: Db, { organizationId, id, text }: Search): Promise<Match[]> {
  const probes = probesOf(text).map(
    (bit) => sql`get_bit(grams, ${bit}::integer % (octet_length(grams) * 8)) = 1`,
  );
  // A CASE fixes the order: with AND, the planner would search the texts before it looks at the filters.
  const { rows } = await sql<Match>`
    SELECT position, 'transcript' AS matched_in, count(*) AS match_count, min(seq) AS seq, NULL AS error
      FROM evaluation_texts
     WHERE organization_id = ${organizationId} AND evaluation_id = ${id}
       AND CASE WHEN grams IS NULL OR (${sql.join(probes, sql` AND `)}) THEN strpos(text, ${text}) > 0 ELSE false END
     GROUP BY position ORDER BY position LIMIT ${ENOUGH}`.execute(db);
  return rows;
}

/** For ASCII, `lower` is the same as `foldText`. Errors with other characters, which are few, are read and folded here. */
async function findErrors(db: Db, { organizationId, id, text }: Search): Promise<Match[]> {
  const found: Match[] = [];
  for (let after = -1; found.length < ENOUGH; ) {
    const { rows } = await sql<{ position: number; error: string }>`
      SELECT position, error FROM evaluation_items
       WHERE organization_id = ${organizationId} AND evaluation_id = ${id} AND position > ${after} AND error IS NOT NULL
         AND (octet_length(error) <> char_length(error) OR strpos(lower(error COLLATE "C"), ${text}) > 0)
       ORDER BY position LIMIT ${ERRORS_AT_ONCE}`.execute(db);
    for (const { position, error } of rows)
      if (foldText(error).includes(text))
        found.push({ position, matched_in: 'error', match_count: 0, seq: null, error });
    const last = rows.at(-1);
    if (!last || rows.length < ERRORS_AT_ONCE) break;
    after = last.position;
  }
  return found.slice(0, ENOUGH);
}

/** Names of tasks are lower-case ASCII, so they need no folding. Items are ordered by repetition: the first 201 tasks have the first 201 samples. */
async function findTasks(db: Db, { organizationId, id, text }: Search): Promise<Match[]> {
  const { rows } = await sql<Match>`
    SELECT i.position, 'task_name' AS matched_in, 0 AS match_count, NULL::integer AS seq, NULL AS error
      FROM (SELECT DISTINCT task_name FROM (
              SELECT task_name FROM evaluation_tasks
               WHERE organization_id = ${organizationId} AND evaluation_id = ${id} AND strpos(task_name, ${text}) > 0
               ORDER BY position LIMIT ${ENOUGH}) AS first) AS t
      JOIN evaluation_items AS i ON i.organization_id = ${organizationId} AND i.evaluation_id = ${id}
                                AND i.task_name = t.task_name
     ORDER BY i.position LIMIT ${ENOUGH}`.execute(db);
  return rows;
}

interface Quoted {
  readonly position: number;
  readonly item_id: string;
  readonly session_id: string | null;
  readonly task_name: string | null;
  readonly content: string | null;
  readonly tool_calls: { readonly name: string; readonly arguments: string }[] | null;
  /** The folded text around the match, for a message that is not quoted. */
  readonly folded: string | null;
}

async function toHits(
  db: Db,
  { organizationId, id, text }: Search,
  matches: readonly Match[],
): Promise<ItemSearchHitOf[]> {
  if (matches.length === 0) return [];
  const { rows } = await sql<Quoted>`
    SELECT i.position, i.id AS item_id, i.session_id, i.task_name, m.content, m.tool_calls,
           CASE WHEN m.seq IS NULL AND found.seq IS NOT NULL THEN (
             SELECT substr(text, greatest(strpos(text, ${text}) - 100, 1), length(${text}) + 300) FROM evaluation_texts
              WHERE organization_id = ${organizationId} AND evaluation_id = ${id} AND position = found.position
                AND seq = found.seq) END AS folded
      FROM unnest(${matches.map(({ position }) => position)}::integer[], ${matches.map(({ seq }) => seq)}::integer[])
           AS found (position, seq)
      JOIN evaluation_items AS i ON i.organization_id = ${organizationId} AND i.evaluation_id = ${id}
                                AND i.position = found.position
      LEFT JOIN session_messages AS m ON m.organization_id = ${organizationId} AND m.session_id = i.session_id
                                     AND m.seq = found.seq AND m.size_bytes <= ${MAX_QUOTED_BYTES}`.execute(
    db,
  );
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return matches.flatMap((match) => {
    const row = byPosition.get(match.position);
    if (!row) return [];
    const { matched_in, match_count } = match;
    const { item_id, session_id } = row;
    return [{ item_id, match_count, matched_in, session_id, snippet: toSnippet(match, row, text) }];
  });
}

function toSnippet(match: Match, row: Quoted, text: string): string | null {
  if (match.matched_in === 'task_name') return row.task_name;
  if (match.matched_in === 'error') return findSnippet([match.error ?? ''], text) ?? null;
  const quoted =
    row.content === null ? undefined : findSnippet(toSearchedParts(row.content, row.tool_calls), text);
  if (quoted !== undefined || row.folded === null) return quoted ?? null;
  const folded = row.folded.replaceAll(BOUNDARY, ' ');
  return cutAround(folded, folded.indexOf(text));
}
