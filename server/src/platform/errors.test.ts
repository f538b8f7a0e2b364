import { expect, test } from 'vitest';
import { startTestServer } from '../../test/harness.ts';
import { ERROR_STATUSES, invalidValues, STATUS_BY_TYPE } from './errors.ts';

const server = await startTestServer();

test('there are the contract’s 37 error types, each with one of its statuses', () => {
  expect(Object.keys(STATUS_BY_TYPE)).toHaveLength(37);
  for (const status of Object.values(STATUS_BY_TYPE)) expect(ERROR_STATUSES).toContain(status);
});

test.each([
  [['body', 'labels', 'm'], 'must be a string', 'body.labels.m: must be a string.'],
  [['body', 'a.jsonl'], 'a.jsonl: is empty', 'a.jsonl: is empty.'],
  [['body', 'a.jsonl'], 'a.jsonl, line 2: is not an object', 'a.jsonl, line 2: is not an object.'],
  [['body', 'name'], 'names must be unique', 'body.name: names must be unique.'],
])('invalidValues says in its detail where the first mistake is: %j', (loc, msg, detail) => {
  expect(invalidValues([{ loc, msg, type: 'invalid_value' }]).message).toBe(detail);
});

test('a bug becomes a 500 that reveals only its request id', async () => {
  await server.db.schema.alterTable('projects').renameColumn('description', 'lost').execute();
  const response = await server.as(server.owner).get('/org/main/ws/main/projects');
  const id = response.headers['x-request-id'];
  expect(response).toMatchObject({ status: 500, body: { code: 500, type: 'server_error' } });
  expect(response.body.detail).toContain(id);
  expect(JSON.stringify(response.body)).not.toMatch(/description|column|select/i);
  await server.db.schema.alterTable('projects').renameColumn('lost', 'description').execute();
});

test('a lost database becomes a 500 of its own type and an unhealthy server', async () => {
  await server.db.destroy();
  expect(await server.as(undefined).get('/health')).toMatchObject({
    status: 500,
    body: { type: 'database_error' },
  });
});

test('error responses carry the security headers and a request id', async () => {
  const first = await server.as(undefined).get('/health');
  const second = await server.as(undefined).get('/health');
  expect(first.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
  expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
});
