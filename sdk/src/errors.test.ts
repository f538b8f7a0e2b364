import { expect, test } from 'vitest';
import { json, refusal, startScriptedServer } from '../test/scripted-server.ts';
import { Drydock, DrydockError, isDrydockError } from './drydock.ts';

async function failureOf(baseUrl: string): Promise<DrydockError> {
  const drydock = new Drydock({ baseUrl, apiKey: 'dd_key', maxRetries: 0 });
  try {
    await drydock.user.get();
  } catch (error) {
    if (isDrydockError(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

test('an error carries everything that the server sent', async () => {
  const issues = [{ loc: ['body', 'name'], msg: 'This value is required.', type: 'missing' }];
  const server = await startScriptedServer(
    json(
      422,
      { code: 422, type: 'validation_error', detail: 'The request holds 1 invalid value.', errors: issues },
      { 'x-request-id': 'request-7' },
    ),
  );
  const error = await failureOf(server.url);
  expect(error).toMatchObject({
    name: 'DrydockError',
    type: 'validation_error',
    status: 422,
    request: 'GET /api/v1/user',
    detail: 'The request holds 1 invalid value.',
    issues,
    requestId: 'request-7',
    retryAfterSeconds: undefined,
  });
  expect(error.message).toBe(
    'The request holds 1 invalid value. body.name: This value is required. ' +
      '[GET /api/v1/user: 422 validation_error, request id request-7] Correct these values and send it again.',
  );
});

test.each([
  ['authentication_error', 401, {}, /Give a valid apiKey or accessToken/],
  ['expired_token_error', 401, {}, /auth\.refresh/],
  ['forbidden_error', 403, {}, /scope.*role/],
  ['not_found_error', 404, {}, /Check the ids and slugs/],
  ['task_set_not_found', 404, {}, /Check the ids and slugs/],
  ['upgrade_required_error', 426, {}, /Install a newer @drydock\/sdk\.$/],
  ['usage_limit_exceeded_error', 429, { 'retry-after': '90' }, /Try again in 90 s\.$/],
  ['usage_limit_exceeded_error', 429, {}, /credits/],
  ['server_error', 500, {}, /report it with the request id\.$/],
  ['a_type_of_tomorrow', 409, {}, /Read the current state/],
])('an error of %s %i ends with advice', async (type, status, headers, advice) => {
  const server = await startScriptedServer(refusal(status, type, 'No.', headers));
  const error = await failureOf(server.url);
  expect(error.type).toBe(type);
  expect(error.message).toMatch(advice);
});

test('a date in Retry-After is converted to seconds from now', async () => {
  const date = new Date(Date.now() + 90_000).toUTCString();
  const server = await startScriptedServer(
    refusal(429, 'usage_limit_exceeded_error', 'No.', { 'retry-after': date }),
  );
  const { retryAfterSeconds } = await failureOf(server.url);
  expect(retryAfterSeconds).toBeGreaterThan(80);
  expect(retryAfterSeconds).toBeLessThanOrEqual(90);
});

test.each([
  [404, 'unexpected_answer_error'],
  [502, 'bad_gateway_error'],
  [503, 'unexpected_answer_error'],
])('a %i without an envelope is a %s', async (status, type) => {
  const server = await startScriptedServer((response) => response.writeHead(status).end('<html>'));
  expect(await failureOf(server.url)).toMatchObject({ type, status, requestId: undefined });
});

test.each([
  ['an item without its fields', [{}, null, { loc: ['body'], msg: 'No.' }], [{ loc: ['body'], msg: 'No.' }]],
  ['no list', 'x', []],
  ['nothing', null, []],
])('malformed parts of the list of issues are left out: %s', async (_name, errors, issues) => {
  const server = await startScriptedServer(
    json(422, { code: 422, type: 'validation_error', detail: 'Invalid.', errors }),
  );
  expect(await failureOf(server.url)).toMatchObject({ type: 'validation_error', detail: 'Invalid.', issues });
});

test('a long error response is not read completely', async () => {
  const closed = Promise.withResolvers<void>();
  let pieces = 0;
  const server = await startScriptedServer((response) => {
    response.on('close', () => closed.resolve());
    const write = () => {
      do pieces += 1;
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.on('drain', write);
    response.writeHead(500);
    write();
  });
  expect(await failureOf(server.url)).toMatchObject({ type: 'unexpected_answer_error', status: 500 });
  await closed.promise;
  expect(pieces).toBeLessThan(500); // more bytes are in transit than are read
});

test('an unreachable server is named, with the reason', async () => {
  const error = await failureOf('http://127.0.0.1:1');
  expect(error).toMatchObject({ type: 'connection_error', status: undefined });
  expect(error.message).toMatch(/http:\/\/127\.0\.0\.1:1 failed \(.+\).*Check baseUrl/);
  expect(error.cause).toBeInstanceOf(Error);
});

test('isDrydockError narrows by type', () => {
  const error = new DrydockError({ type: 'not_found_error', request: 'GET /', detail: 'No.' });
  expect(isDrydockError(error)).toBe(true);
  expect(isDrydockError(error, 'conflict_error', 'not_found_error')).toBe(true);
  expect(isDrydockError(error, 'conflict_error')).toBe(false);
  expect(isDrydockError(new Error('not_found_error'), 'not_found_error')).toBe(false);
});
