/** Random SELECTs over the tables of sql-world.ts. Each defines its whole order if it has one, so that its result is unique. */
import type { Random } from '../fuzz/random.ts';

const SPAN_CONDITIONS = [
  "model = 'gpt'",
  "model <> 'gpt'",
  "model IN ('gpt', 'it''s \"q\"', '😀')",
  "model LIKE 'gpt%'",
  "model ILIKE '%é%'",
  "model > 'a' AND model <= 'x,y'",
  "lower(model) = 'gpt'",
  "model = '' OR model IS NULL",
  "model = 'l1\nl2'",
  'model IS NOT NULL',
  "started_at >= '2026-01-01'",
  "started_at < TIMESTAMPTZ '2026-01-01 00:00:00.000001+00'",
  "started_at BETWEEN '2026-01-01' AND '2026-02-01'",
  'started_at > now() - INTERVAL 90 YEAR',
  "date_trunc('month', started_at) = TIMESTAMPTZ '2026-01-01 00:00:00+00'",
  'tokens = 9007199254740993',
  'tokens <= -1',
  'tokens IN (0, 1, 3)',
  'tokens NOT IN (0, 1)',
  'tokens % 2 = 1',
  'tokens > 1.5',
  'tokens > seconds',
  'depth > 1 AND depth < 100',
  'depth = 1 OR tokens = 3',
  'depth IS NULL',
  'depth BETWEEN -7 AND 2',
  'seconds > 0.1',
  'seconds = 0.1 + 0.2',
  'seconds < 1e300',
  "seconds = 'NaN'::DOUBLE",
  "seconds >= 'Infinity'::DOUBLE",
  'cost = 0.000000000000000001',
  'cost <= 1.5',
  'cost > -12345678901234567890.5',
  'failed',
  'NOT failed',
  'failed IS NULL',
  'failed = true OR failed IS NULL',
  "list_contains(tags, 'a')",
  'len(tags) > 0',
  "attributes->>'a' IS NOT NULL",
  "json_type(attributes) = 'OBJECT'",
  "id = '00000000-0000-4000-8000-000000000001'",
  "id < 'f0000000-0000-4000-8000-000000000002'::UUID",
  "id IN ('00000000-0000-4000-8000-000000000003', 'f0000000-0000-4000-8000-000000000004')",
  'false',
  'true',
  'id IN (SELECT span_id FROM messages)',
  'EXISTS (SELECT 1 FROM messages WHERE span_id = spans.id AND role IS NOT NULL)',
  'tokens > (SELECT avg(m.tokens) FROM messages m)',
];
const COLUMNS = [
  'id',
  'model',
  'started_at',
  'tokens',
  'depth',
  'seconds',
  'cost',
  'failed',
  'tags',
  'attributes',
];
const ORDERABLE = COLUMNS.filter((name) => name !== 'attributes');
const GROUPS = ['model', 'failed', 'depth', "date_trunc('day', started_at)", 'tokens % 3', 'len(tags)'];
const AGGREGATES = [
  'count(*)',
  'count(model)',
  'sum(tokens)',
  'sum(cost)',
  'min(started_at)',
  'max(model)',
  'count(DISTINCT id)',
  'bool_or(failed)',
  'max(cost) FILTER (depth > 0)',
  "string_agg(model, '|' ORDER BY model)",
  'list(tokens ORDER BY tokens)',
];

const where = (random: Random): string => {
  const count = random.integer(0, 3);
  if (count === 0) return '';
  const parts = Array.from({ length: count }, () => {
    const part = `(${random.pick(SPAN_CONDITIONS)})`;
    return random.chance(0.15) ? `NOT ${part}` : part;
  });
  return ` WHERE ${parts.join(random.chance(0.7) ? ' AND ' : ' OR ')}`;
};

function some(random: Random, choices: readonly string[], most: number): string[] {
  const picked = Array.from({ length: random.integer(1, most) }, () => random.pick(choices));
  return [...new Set(picked)];
}

function plain(random: Random): string {
  const columns = some(random, COLUMNS, 4);
  const limit = random.chance(0.4) ? ` LIMIT ${random.integer(0, 9)}` : '';
  // Rows that are equal in all shown columns may come in any order.
  const orderable = columns.filter((name) => ORDERABLE.includes(name));
  if (limit && orderable.length < columns.length)
    return `SELECT ${ORDERABLE.join(', ')} FROM spans${where(random)} ORDER BY ALL${limit}`;
  const order = columns.map((name) => (name === 'attributes' ? 'CAST(attributes AS VARCHAR)' : name));
  return `SELECT ${columns.join(', ')} FROM spans${where(random)} ORDER BY ${order.join(', ')}${limit}`;
}

function grouped(random: Random): string {
  const group = random.pick(GROUPS);
  const aggregates = some(random, AGGREGATES, 3).map((each, index) => `${each} AS a${index}`);
  const having = random.chance(0.3) ? ' HAVING count(*) > 1' : '';
  return `SELECT ${group} AS g, ${aggregates.join(', ')} FROM spans${where(random)} GROUP BY 1${having} ORDER BY ALL`;
}

function joined(random: Random): string {
  const kind = random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN', 'SEMI JOIN', 'ANTI JOIN']);
  const isOneSided = kind.startsWith('SEMI') || kind.startsWith('ANTI');
  const columns = isOneSided
    ? ['s.id', 's.tokens']
    : ['s.model', 's.tokens', 'm.role', 'm.tokens AS m_tokens', 'm.content'];
  const on = random.pick([
    'm.span_id = s.id',
    'm.span_id = s.id AND m.tokens < s.tokens',
    'm.role = s.model',
  ]);
  const condition = random.pick([
    '',
    "s.model = 'gpt'",
    's.depth > 0',
    's.failed',
    's.started_at IS NOT NULL',
  ]);
  return `SELECT ${columns.join(', ')} FROM spans s ${kind} messages m ON ${on}${condition && ` WHERE ${condition}`} ORDER BY ALL`;
}

function windowed(random: Random): string {
  const over = random.pick([
    'PARTITION BY model ORDER BY ALL_KEYS',
    'ORDER BY ALL_KEYS',
    'PARTITION BY failed ORDER BY ALL_KEYS',
  ]);
  const keys = 'id, tokens, depth, started_at, seconds, cost, model, tags';
  const value = random.pick(['row_number()', 'sum(tokens)', 'lag(tokens)', 'max(model)']);
  return `SELECT ${keys}, ${value} OVER (${over.replace('ALL_KEYS', keys)}) AS w FROM spans${where(random)} ORDER BY ALL`;
}

function combined(random: Random): string {
  const operator = random.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT']);
  const columns = some(random, ['id', 'tokens', 'model'], 3).join(', ');
  const messages = columns.replace('model', 'role AS model');
  return `(SELECT ${columns} FROM spans${where(random)}) ${operator} (SELECT ${messages} FROM messages) ORDER BY ALL`;
}

function nested(random: Random): string {
  return random.pick([
    `WITH top AS (SELECT * FROM spans${where(random)}) SELECT a.id, a.tokens, b.model FROM top a JOIN top b ON a.tokens = b.tokens ORDER BY ALL`,
    `SELECT tag, count(*) AS n FROM (SELECT unnest(tags) AS tag FROM spans${where(random)}) GROUP BY ALL ORDER BY ALL`,
    `SELECT s.id, l.n FROM spans s, LATERAL (SELECT count(*) AS n FROM messages m WHERE m.span_id = s.id) l${where(random).replaceAll('spans.', 's.')} ORDER BY ALL`,
    `WITH RECURSIVE walk AS (SELECT 0 AS step, count(*) AS n FROM spans UNION ALL SELECT step + 1, n + (SELECT count(*) FROM messages) FROM walk WHERE step < 3) SELECT step, n FROM walk ORDER BY step`,
    `PIVOT (SELECT failed, model, tokens FROM spans${where(random)}) ON failed IN (true, false) USING count(*) GROUP BY model ORDER BY ALL`,
    `SELECT * FROM (SELECT model, tokens, depth FROM spans${where(random)}) WHERE tokens IS NOT NULL ORDER BY ALL`,
    `SELECT count(*) AS n FROM spans${where(random)}`,
    `SELECT (SELECT max(tokens) FROM messages) AS most, (SELECT count(*) FROM spans${where(random)}) AS n`,
  ]);
}

export const randomQuery = (random: Random): string =>
  random.weighted([
    [5, plain],
    [4, grouped],
    [3, joined],
    [2, windowed],
    [2, combined],
    [4, nested],
  ])(random);
