import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { type ItemRow, insertEvaluation, openEvaluations } from '../../../test/evaluation-rows.ts';
import { uuidv7 } from '../../platform/uuid.ts';
import { foldText, toSearchedParts } from './fold-text.ts';
import { EvaluationItemSearchResponse, ItemSearchQuery } from './schema.ts';
import { searchItems } from './search.ts';

const { db, place } = await openEvaluations();
const messagesOf = (...contents: readonly string[]) => contents.map((content) => ({ content }));

test('searchItems tells where a sample matches: in its transcript, else its error, else the name of its task', async () => {
  const { id, itemIds } = await insertEvaluation(db, place, {
    tasks: [{ name: 'find-needle' }, { name: 'other' }],
    items: [
      {
        task: 'find-needle',
        source: 0,
        messages: messagesOf('nothing', 'a NEEDLE', 'two Needles, needle'),
        error: 'needle',
      },
      { task: 'other', source: 1, error: 'No Needle there' },
      { task: 'find-needle', source: 0, sample: 2 },
      { task: 'other', source: 1, sample: 2, messages: messagesOf('hay') },
    ],
  });
  const answer = await searchItems(db, place, id, 'Needle');
  expect(EvaluationItemSearchResponse.parse(answer)).toEqual(answer);
  expect(answer).toEqual({
    matches: [
      {
        item_id: itemIds[0],
        match_count: 2,
        matched_in: 'transcript',
        session_id: expect.any(String),
        snippet: 'a NEEDLE',
      },
      {
        item_id: itemIds[1],
        match_count: 0,
        matched_in: 'error',
        session_id: null,
        snippet: 'No Needle there',
      },
      {
        item_id: itemIds[2],
        match_count: 0,
        matched_in: 'task_name',
        session_id: null,
        snippet: 'find-needle',
      },
    ],
    total: 3,
    has_more: false,
  });
});

test('searchItems finds names and arguments of tool calls, each by itself', async () => {
  const tool_calls = [{ name: 'read_file', arguments: '{"path":"/etc/Passwd"}' }];
  const { id } = await insertEvaluation(db, place, {
    items: [{ messages: [{ content: 'Reading.', tool_calls }] }],
  });
  const snippets = async (q: string) =>
    (await searchItems(db, place, id, q)).matches.map(({ snippet }) => snippet);
  expect(await snippets('READ_FILE')).toEqual(['read_file']);
  expect(await snippets('etc/passwd')).toEqual(['{"path":"/etc/Passwd"}']);
  expect(await snippets('reading.read_file')).toEqual([]);
});

test('searchItems finds nothing for a blank text', async () => {
  const { id } = await insertEvaluation(db, place, { items: [{ messages: messagesOf('a b\u3000c \t\n') }] });
  for (const q of ['', ' ', '\t\n ', '\u3000', '\u00A0'])
    expect(await searchItems(db, place, id, q)).toEqual({ matches: [], total: 0, has_more: false });
});

test.each(['\u0301', '\u200D', '\uFFFF', '\0', '\uD800', '%', '_', '\\', "'", '\u{1F468}\u200D', '\u0345'])(
  'searchItems takes %j like every other text',
  async (q) => {
    const { id } = await insertEvaluation(db, place, {
      items: [{ messages: messagesOf(`before ${q} after`) }, { messages: messagesOf('no') }],
    });
    expect(await searchItems(db, place, id, q)).toMatchObject({ total: 1, has_more: false });
  },
);

test('searchItems quotes a message above 64 KiB as it is searched', async () => {
  const content = `${'Ä '.repeat(50_000)}Needle${' Ö'.repeat(50_000)}`;
  const { id } = await insertEvaluation(db, place, { items: [{ messages: messagesOf(content) }] });
  const { matches } = await searchItems(db, place, id, 'NEEDLE');
  expect(matches[0]?.snippet).toMatch(/^…(ä ){30}needle( ö)+ ?…$/);
  expect(matches[0]?.snippet?.length).toBeLessThanOrEqual(200);
});

test('searchItems shows the first 200 samples in their order, and tells that there are more', async () => {
  const tasks = Array.from({ length: 210 }, (_, index) => ({ name: `task-${index}` }));
  const kinds = (position: number): Partial<ItemRow> => {
    if (position % 3 === 0) return { messages: messagesOf('about a TASK-like thing') };
    return position % 3 === 1 ? { error: 'Täsk: a task-bound error' } : {};
  };
  const items = tasks.map(({ name }, source) => ({ task: name, source, ...kinds(source) }));
  const { id, itemIds } = await insertEvaluation(db, place, { tasks, items });
  const { matches, total, has_more } = await searchItems(db, place, id, 'task-');
  expect([matches.length, total, has_more]).toEqual([200, 200, true]);
  expect(matches.map(({ item_id }) => item_id)).toEqual(itemIds.slice(0, 200));
  const expected = ['transcript', 'error', 'task_name'];
  expect(matches.map(({ matched_in }) => matched_in)).toEqual(matches.map((_, index) => expected[index % 3]));
  expect(await searchItems(db, place, id, 'task-20')).toMatchObject({ total: 11, has_more: false });
});

test('searchItems reads past errors that do not match', async () => {
  const items = Array.from({ length: 1_100 }, (_, index) => ({
    status: 'failed',
    error: index < 1_090 ? 'Fehler: ä' : 'Größe',
  }));
  const { id, itemIds } = await insertEvaluation(db, place, { items });
  const { matches } = await searchItems(db, place, id, 'GRÖSSE');
  expect(matches.map(({ item_id }) => item_id)).toEqual(itemIds.slice(1_090));
});

test('searchItems searches one evaluation, of its own workspace', async () => {
  const { id } = await insertEvaluation(db, place, { items: [{ messages: messagesOf('unmistakable') }] });
  const { id: other } = await insertEvaluation(db, place, { items: [{ messages: messagesOf('different') }] });
  expect(await searchItems(db, place, id, 'unmistakable')).toMatchObject({ total: 1 });
  expect(await searchItems(db, place, other, 'unmistakable')).toMatchObject({ total: 0 });
  for (const elsewhere of [
    { ...place, workspaceId: uuidv7() },
    { ...place, organizationId: uuidv7() },
  ])
    await expect(searchItems(db, elsewhere, id, 'unmistakable')).rejects.toMatchObject({
      type: 'not_found_error',
    });
});

test('ItemSearchQuery takes up to 500 characters', () => {
  expect(ItemSearchQuery.safeParse({ q: 'x'.repeat(500) }).success).toBe(true);
  expect(ItemSearchQuery.safeParse({ q: 'x'.repeat(501) }).success).toBe(false);
  expect(ItemSearchQuery.safeParse({}).success).toBe(false);
});

const PIECES = [
  ...Array.from('abcdeéABCDEÉ  .-_%\\\'"{}0123'),
  'ß',
  'SS',
  'ẞ',
  'İ',
  'ı',
  'ſ',
  'ﬁ',
  '㎒',
  'MHz',
  'Ⓐ',
  'ⓐ',
  'ＦＵＬＬ',
  'Σ',
  'σ',
  'ς',
  'ΟΔΟΣ',
  '\u{1F600}',
  '\u{1F468}\u200D\u{1F469}',
  '\u0301',
  '\u0323',
  'e\u0301',
  '\u0345',
  '각',
  '\u1100\u1161\u11A8',
  'ｶﾞ',
  '漢字',
  '\0',
  '\uD800',
  '\uDC00',
  '\uFFFF',
  '\n',
  '…',
];

function randomText(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += random.pick(PIECES);
  return text;
}

const randomLength = (random: Random) =>
  random.weighted([
    [70, random.integer(0, 60)],
    [25, random.integer(60, 3_000)],
    [5, random.integer(4_000, 30_000)],
  ]);

/** A part of something that was said, in another case, or something else. */
function randomQuery(random: Random, items: readonly ItemRow[]): string {
  const { messages = [], error, task } = random.pick(items);
  const source = random.pick([...messages.map(({ content }) => content), error ?? '', task ?? '']);
  if (source === '' || random.chance(0.2)) return randomText(random, random.integer(1, 4));
  const start = random.integer(0, source.length - 1);
  const part = source.slice(start, start + random.integer(1, random.pick([3, 10, 100])));
  return random.pick([
    part,
    part.toUpperCase(),
    part.toLowerCase(),
    part.normalize('NFD'),
    part.normalize('NFKC'),
  ]);
}

/** The same by reading everything. */
function scanner(items: readonly ItemRow[], itemIds: readonly string[]) {
  const folded = items.map(({ messages = [], error, task }) => ({
    messages: messages.map(({ content, tool_calls }) => toSearchedParts(content, tool_calls).map(foldText)),
    error: foldText(error ?? ''),
    task: foldText(task ?? ''),
  }));
  return (q: string) => {
    const text = foldText(q);
    if (text.trim() === '') return [];
    return folded.flatMap(({ messages, error, task }, position) => {
      const match_count = messages.filter((parts) => parts.some((part) => part.includes(text))).length;
      const places = {
        transcript: match_count > 0,
        error: error.includes(text),
        task_name: task.includes(text),
      };
      const matched_in = Object.entries(places).find(([, isMatch]) => isMatch)?.[0];
      return matched_in ? [{ item_id: itemIds[position], match_count, matched_in }] : [];
    });
  };
}

test('searchItems finds what reading everything finds, for random texts', async () => {
  for (let round = 0; round < 4; round++) {
    const random = new Random('search', round);
    const count = random.pick([5, 40, 260]);
    const tasks = Array.from({ length: count }, (_, index) => ({ name: `t${index % 7}.x_${index}` }));
    const items = tasks.map(({ name }, source): ItemRow => {
      const messages = Array.from({ length: random.integer(0, 3) }, () => ({
        content: randomText(random, randomLength(random)),
        tool_calls: random.chance(0.2)
          ? [{ name: randomText(random, 5), arguments: randomText(random, 50) }]
          : null,
      }));
      const error = random.chance(0.3) ? randomText(random, 40).toWellFormed().replaceAll('\0', '') : null;
      return { task: name, source, messages, error };
    });
    const { id, itemIds } = await insertEvaluation(db, place, { tasks, items });
    const scan = scanner(items, itemIds);
    for (let asked = 0; asked < 60; asked++) {
      const q = randomQuery(random, items);
      const expected = scan(q);
      const { matches, total, has_more } = await searchItems(db, place, id, q);
      const found = matches.map(({ item_id, match_count, matched_in }) => ({
        item_id,
        match_count,
        matched_in,
      }));
      expect(found, JSON.stringify(q)).toEqual(expected.slice(0, 200));
      expect([total, has_more]).toEqual([found.length, expected.length > 200]);
      const wrong = matches.filter(({ snippet }) => {
        const quoted = snippet ?? '';
        const isQuoted = foldText(q).length > 40 || foldText(quoted).includes(foldText(q));
        return !quoted.isWellFormed() || quoted.length > 200 || !isQuoted;
      });
      expect(wrong, JSON.stringify(q)).toEqual([]);
    }
  }
});
