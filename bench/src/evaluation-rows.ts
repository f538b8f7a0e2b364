/** Inserts evaluations with many messages directly into the tables, with sizes as agents write and read them. */
import { Random } from '@drydock/server/fuzz/random.ts';
import { toMessageText } from '@drydock/server/src/evaluations/search/fold-text.ts';
import { toGramFilter } from '@drydock/server/src/evaluations/search/gram-filter.ts';
import { uuidv7 } from '@drydock/server/src/platform/uuid.ts';
import type pg from 'pg';
import { count as figure } from './figures.ts';

export const MESSAGES_PER_ITEM = 40;
/** Occurs in one of a thousand messages. */
export const RARE = 'Rare Needle';
/** Occurs in more than half of the messages. */
export const COMMON = 'Common';
const ITEMS_AT_ONCE = 50;
const WORDS = 5_000;
const SIZES = [
  [80, 300],
  [15, 2_000],
  [5, 20_000],
] as const;

export interface EvaluationPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

/** @returns the id of an evaluation with that many messages, 40 for each sample */
export async function insertEvaluation(
  pool: pg.Pool,
  place: EvaluationPlace,
  messages: number,
): Promise<string> {
  const random = new Random('evaluation', messages);
  const words = Array.from({ length: WORDS }, () => newWord(random));
  const id = uuidv7();
  const { organizationId, workspaceId } = place;
  const items = messages / MESSAGES_PER_ITEM;
  await pool.query(INSERT_EVALUATION, [organizationId, id, workspaceId, items]);
  for (let first = 0; first < items; first += ITEMS_AT_ONCE) {
    const until = Math.min(items, first + ITEMS_AT_ONCE);
    await pool.query(INSERT_ITEMS, [organizationId, id, workspaceId, first, until - 1]);
    const contents = Array.from({ length: (until - first) * MESSAGES_PER_ITEM }, () =>
      newContent(random, words),
    );
    const texts = contents.map((content) => toMessageText(content, null));
    await pool.query(INSERT_TEXTS, [
      organizationId,
      id,
      first,
      MESSAGES_PER_ITEM,
      texts.map(toGramFilter),
      texts,
    ]);
    await pool.query(INSERT_MESSAGES, [organizationId, id, workspaceId, first, MESSAGES_PER_ITEM, contents]);
    if (until % 2_500 === 0) console.log(`${figure(until * MESSAGES_PER_ITEM)} messages`);
  }
  // Replaces autovacuum, which would run sooner or later.
  for (const table of ['evaluation_items', 'evaluation_texts', 'sessions', 'session_messages'])
    await pool.query(`VACUUM (ANALYZE) ${table}`);
  return id;
}

const newWord = (random: Random) =>
  Array.from({ length: random.integer(2, 10) }, () => String.fromCharCode(random.integer(97, 122))).join('');

function newContent(random: Random, words: readonly string[]): string {
  const size = random.weighted(SIZES);
  const parts = [random.chance(0.6) ? COMMON : 'Other', random.chance(0.001) ? RARE : ''];
  for (let length = 0; length < size; ) {
    // Some words are frequent, as in any language.
    const word = words[Math.min(random.integer(0, WORDS - 1), random.integer(0, WORDS - 1))] ?? '';
    parts.push(word);
    length += word.length + 1;
  }
  return parts.join(random.chance(0.1) ? '\n' : ' ');
}

const INSERT_EVALUATION = `
  INSERT INTO evaluations (organization_id, id, workspace_id, created_by, name, model, concurrency, request, execution,
                           total_samples, status, item_counts)
  SELECT $1, $2, $3, u.id, 'bench', 'sim/echo', 4, '{}', '{}', $4::int, 'completed', '{}' FROM users AS u LIMIT 1`;

/** One in a hundred has an error. */
const INSERT_ITEMS = `
  WITH item AS (
    INSERT INTO evaluation_items (organization_id, id, evaluation_id, position, source_position, task_name, task_version, sample,
                                  status, session_id, error)
    SELECT $1, gen_random_uuid(), $2::uuid, n, n, 'task-' || n, '1.0.0', 1, 'passed', md5($2::text || ' ' || n)::uuid,
           CASE WHEN n % 100 = 0 THEN 'The agent stopped: exit code ' || n END
      FROM generate_series($4::int, $5::int) AS n
    RETURNING position, session_id),
  task AS (
    INSERT INTO evaluation_tasks (organization_id, evaluation_id, position, task_name, task_version, owner_id, version_id, details)
    SELECT $1, $2::uuid, position, 'task-' || position, '1.0.0', $1, gen_random_uuid(), '{}' FROM item)
  INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, origin, visibility)
  SELECT $1, item.session_id, $3, u.id, 'sim/echo', 'eval', 'workspace'
    FROM item, (SELECT id FROM users LIMIT 1) AS u`;

const PLACED = '(place - 1) / $PER AS item, (place - 1) % $PER + 1 AS seq';

const INSERT_TEXTS = `
  INSERT INTO evaluation_texts (organization_id, evaluation_id, position, seq, grams, text)
  SELECT $1, $2::uuid, $3::int + item, seq, grams, text
    FROM (SELECT ${PLACED.replaceAll('$PER', '$4::int')}, grams, text
            FROM unnest($5::bytea[], $6::text[]) WITH ORDINALITY AS t (grams, text, place)) AS t`;

const INSERT_MESSAGES = `
  INSERT INTO session_messages (organization_id, session_id, seq, workspace_id, id, role, content, search_text)
  SELECT $1, md5($2::text || ' ' || ($4::int + item))::uuid, seq, $3, 'message-' || seq, 'assistant', content, ''
    FROM (SELECT ${PLACED.replaceAll('$PER', '$5::int')}, content
            FROM unnest($6::text[]) WITH ORDINALITY AS t (content, place)) AS t`;
