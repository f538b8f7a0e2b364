import { expect, test } from 'vitest';
import { findMain, insertEvaluation } from '../../../test/evaluation-rows.ts';
import { startTestServer } from '../../../test/harness.ts';

const server = await startTestServer();
const { db, owner } = server;
const reader = await server.addPerson('reader', { role: 'member', workspaceRole: 'reader' });
const W = '/org/main/ws/main';
const { id, itemIds } = await insertEvaluation(db, await findMain(db), {
  tasks: [{ name: 'one' }],
  items: [{ task: 'one', source: 0, messages: [{ content: 'Grüße aus dem Süden' }] }],
});
const search = (q: string) => server.as(reader).get(`${W}/evaluation/${id}/items/search?${q}`);

test('searchEvaluationItems answers a reader', async () => {
  const { status, body } = await search(`q=${encodeURIComponent('GRÜSSE')}`);
  expect(status).toBe(200);
  expect(body).toEqual({
    matches: [
      {
        item_id: itemIds[0],
        match_count: 1,
        matched_in: 'transcript',
        session_id: expect.any(String),
        snippet: 'Grüße aus dem Süden',
      },
    ],
    total: 1,
    has_more: false,
  });
});

test('searchEvaluationItems answers without matches when q is blank', async () => {
  for (const q of ['q=', 'q=%20%09']) {
    const { status, body } = await search(q);
    expect([status, body]).toEqual([200, { matches: [], total: 0, has_more: false }]);
  }
});

test('searchEvaluationItems refuses a missing q and one above 500 characters', async () => {
  for (const q of ['', `q=${'x'.repeat(501)}`]) {
    const { status, body } = await search(q);
    expect([status, body.error?.type ?? body.type]).toEqual([422, 'validation_error']);
  }
  expect((await search(`q=${'x'.repeat(500)}`)).status).toBe(200);
});

test('searchEvaluationItems and getEvaluationAnalytics answer 404 for an unknown evaluation', async () => {
  const unknown = `${W}/evaluation/${owner.id}`;
  for (const path of [
    `${unknown}/items/search?q=a`,
    `${unknown}/analytics`,
    `${W}/evaluation/none/analytics`,
  ])
    expect((await server.as(reader).get(path)).status).toBe(404);
});

test('getEvaluationAnalytics answers a reader', async () => {
  const { status, body } = await server.as(reader).get(`${W}/evaluation/${id}/analytics`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    evaluation_id: id,
    total_samples: 1,
    passed_count: 1,
    pass_rate: 1,
    pass_at_k: { 1: 1 },
  });
});
