import { expect, test } from 'vitest';
import { SCOPES } from '../src/platform/auth/scopes.ts';
import { ERROR_STATUSES } from '../src/platform/http/errors.ts';
import { startTestServer } from './harness.ts';
import { document, operations } from './operations.ts';

const server = await startTestServer();

test('openapi.json is what the server says', async () => {
  const { status, body } = await server.as(undefined).get('/openapi.json');
  expect(status).toBe(200);
  expect(body).toEqual(document);
  expect(document.openapi).toBe('3.1.0');
});

test('every path starts with /api/v1', () => {
  expect(Object.keys(document.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
});

test('operation ids are unique', () => {
  const ids = operations.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(30);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(operations)('$id has a summary, a tag, one success and all error responses', (operation) => {
  expect(operation.id).toMatch(/^[a-z][A-Za-z]+$/);
  expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
  expect(operation.tags).toHaveLength(1);
  const statuses = Object.keys(operation.responses).map(Number);
  expect(statuses.filter((status) => status >= 400)).toEqual([...ERROR_STATUSES]);
  const [success, ...others] = statuses.filter((status) => status < 400);
  // The end of a stream that has been read is an answer of its own.
  const isStream = 'text/event-stream' in (operation.responses[200]?.content ?? {});
  expect(others).toEqual(isStream ? [204] : []);
  expect(success).toBe(expectedSuccess(operation.method, operation.id));
  expect(Object.values(operation.responses).map(({ description }) => description)).not.toContain(
    'Default Response',
  );
});

/** POSTs that create nothing. */
const ACTIONS = new Set([
  'logIn',
  'refreshLogin',
  'logOut',
  'completeOnboarding',
  'approveDeviceCode',
  'exchangeDeviceCode',
]);

function expectedSuccess(method: string, id: string): number {
  if (method === 'delete') return 204;
  return method === 'post' && !ACTIONS.has(id) ? 201 : 200;
}

test('every operation but the public ones needs exactly one scope of the list', () => {
  const closed = operations.filter(({ access }) => access.level !== 'public');
  expect(closed.filter(({ access }) => !access.scope || !SCOPES.includes(access.scope))).toEqual([]);
  const isRead = (method: string) => method === 'get';
  expect(closed.filter(({ method, access }) => isRead(method) !== access.scope?.endsWith(':read'))).toEqual(
    [],
  );
});

test('every reference in the document leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(100);
  const missing = references.filter(([, name = '']) => !(name in document.components.schemas));
  expect(missing).toEqual([]);
});

test('no schema is there twice', () => {
  expect(Object.keys(document.components.schemas).filter((name) => name.endsWith('Input'))).toEqual([]);
});
