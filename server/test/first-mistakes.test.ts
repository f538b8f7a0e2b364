/** Typical mistakes of new users, each with the message that tells them what to do. */
import { CreateBucketCommand, ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { bundle } from './bundles.ts';
import { startTestServer } from './harness.ts';
import { CREDENTIALS_PATH, openS3, type S3Access, toAccess } from './workspace-storage.ts';

const server = await startTestServer({ DRYDOCK_RATE_LIMIT_WRITE: '0' });
const owner = server.as(server.owner);
const W = '/org/main/ws/main';
const GZIP = { 'content-type': 'application/gzip' };

describe("a request's credential", () => {
  test.each([
    ['is missing', undefined, 'This needs a credential: send "Authorization: Bearer'],
    ['is garbage', 'Bearer garbage', 'The credential is neither an access token nor an API key.'],
    ['is unknown', `Bearer dd_${'x'.repeat(40)}`, 'This API key is unknown; it may have been deleted.'],
    ['lacks "Bearer"', 'dd_abc', 'Send "Authorization: Bearer <'],
  ])('that %s is refused with a sentence on what to send', async (_what, authorization, detail) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await server.app.inject({ url: '/api/v1/user', headers });
    expect([response.statusCode, response.json().detail]).toEqual([401, expect.stringContaining(detail)]);
  });

  test('that has expired is refused as expired', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const { body } = await owner.post('/user/api-keys', { name: 'old', expires_at });
    await server.db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0).toISOString() })
      .where('id', '=', body.id)
      .execute();
    expect(await server.as(body.key).get('/user')).toMatchObject({
      status: 401,
      body: { detail: 'This API key has expired.', type: 'expired_token_error' },
    });
  });

  test('that lacks the scope is refused with the name of the scope', async () => {
    const { body } = await owner.post('/user/api-keys', { name: 'few', allowed_scopes: ['sessions:read'] });
    expect(await server.as(body.key).get('/org/main/datasets')).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining('lacks the scope "datasets:read"') },
    });
  });
});

describe("a request's path", () => {
  test.each([
    ['/org/mian/members', 403, 'does not exist, or you are not a member of it.'],
    [
      '/org/main/ws/mian/projects',
      404,
      'Workspace "mian" was not found. GET /api/v1/org/main/ws lists those that you can see.',
    ],
    ['/org/main/evaluations', 404, 'did you mean /api/v1/org/main/ws/{workspace}/evaluations?'],
    ['/org/main/nonsense', 404, 'There is no GET operation at this path; see /api/v1/docs.'],
    [`${W}/sessions/not-an-id`, 404, 'not found'],
    ['/org/main/members/not-an-id', 404, 'which takes DELETE, PATCH'],
  ])('%s returns %i with a sentence on what to do', async (path, status, detail) => {
    const response = await owner.get(path);
    expect([response.status, response.body.detail]).toEqual([status, expect.stringContaining(detail)]);
  });

  test('that has a wrong method returns the allowed methods, also in Allow', async () => {
    const { status, body, headers } = await owner.put('/user', {});
    expect([status, headers['allow']]).toEqual([404, 'GET, HEAD, PATCH']);
    expect(body.detail).toBe(
      'There is no PUT operation at this path, which takes GET, HEAD, PATCH; see /api/v1/docs.',
    );
  });
});

describe("a request's body", () => {
  test.each<[string, unknown, string]>([
    ['that is missing', undefined, 'body: is required.'],
    ['with a misspelt required field', { nmae: 'x' }, 'body.name: is required.'],
    ['with a wrong type', { name: 7 }, 'body.name: must be a string, not a number.'],
  ])('%s is refused with the reason', async (_what, body, detail) => {
    expect(await owner.post(`${W}/projects`, body)).toMatchObject({ status: 422, body: { detail } });
  });

  test('that has an invalid session id is refused with the format of a UUID', async () => {
    expect(await owner.post(`${W}/sessions`, { id: 'mine', model: 'sim/echo' })).toMatchObject({
      status: 422,
      body: { detail: 'body.id: must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057.' },
    });
  });

  test('that misspells a required field reports the field as ignored', async () => {
    const { headers } = await owner.post(`${W}/projects`, { nmae: 'x' });
    expect(headers['drydock-ignored']).toBe('body.nmae');
  });

  test('that misspells an optional field is accepted, and the field is reported as ignored', async () => {
    const { status, headers } = await owner.post(`${W}/projects`, { name: 'Typo', desciption: 'x' });
    expect([status, headers['drydock-ignored']]).toEqual([201, 'body.desciption']);
  });

  test.each([
    ['{"name": x}', 'The body is not valid JSON: "x" is not expected where it stands.'],
    ['{"name": "a",}', 'The body is not valid JSON: see line 1, column 14.'],
    ['{"name": "a"', 'The body is not valid JSON: see line 1, column 13.'],
    ['', 'body: is required.'],
  ])('%s is refused with the JSON syntax error', async (payload, detail) => {
    const headers = { authorization: `Bearer ${server.owner.key}`, 'content-type': 'application/json' };
    const response = await server.app.inject({
      method: 'POST',
      url: `/api/v1${W}/projects`,
      headers,
      payload,
    });
    expect(response.json().detail).toBe(detail);
  });

  test('that has another content type is refused with the expected one', async () => {
    const headers = { authorization: `Bearer ${server.owner.key}`, 'content-type': 'text/plain' };
    const response = await server.app.inject({
      method: 'POST',
      url: `/api/v1${W}/projects`,
      headers,
      payload: 'x',
    });
    expect(response.json()).toMatchObject({
      code: 400,
      detail: 'This content type is not supported here; send application/json.',
    });
  });

  test('that is too large is refused with the limit', async () => {
    const { status, body } = await owner.post(`${W}/projects`, { name: 'x'.repeat(1_100_000) });
    expect([status, body.detail]).toEqual([
      400,
      'The body is over 1 MiB, which is the most that this operation takes.',
    ]);
  });
});

describe('a query parameter', () => {
  test.each([
    [
      '/org/main/datasets?serch=foo',
      'query.serch: is not a parameter of this operation; did you mean "search"?',
    ],
    ['/org/main/datasets?limit=5000', 'query.limit: must be at most 200.'],
    ['/org/main/datasets?limit=x', 'query.limit: must be a number, not a string.'],
  ])('%s is refused with the reason', async (path, detail) => {
    const response = await owner.get(path);
    expect([response.status, response.body.detail]).toEqual([422, expect.stringContaining(detail)]);
  });
});

describe('a model', () => {
  test('that is unknown is refused with the list of models and how to add one', async () => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] };
    const { status, body: error } = await owner.post('/org/main/inference/v1/chat/completions', body);
    expect(status).toBe(404);
    expect(error.detail).toMatch(/There is no model "gpt-4o" here.*models lists.*PUT .*providers/s);
  });

  test('provider on this machine is refused with the setting that allows it', async () => {
    const provider = {
      name: 'local',
      kind: 'openai_compatible',
      base_url: 'http://127.0.0.1:11434/v1',
      api_key: 'none',
      models: [{ name: 'llama', input_price: 0, output_price: 0 }],
    };
    const { status, body } = await owner.put('/org/main/inference/providers', { providers: [provider] });
    expect([status, body.detail]).toEqual([
      422,
      expect.stringContaining('DRYDOCK_ALLOW_PRIVATE_PROVIDERS=1'),
    ]);
  });
});

describe('a runtime', () => {
  const create = (body: object) => owner.post(`${W}/runtimes`, body);

  test('that has unknown settings reports them as ignored', async () => {
    const config = { resources: { cpus: 4 }, image: 'python:3.12' };
    const { status, headers } = await create({ key: 'odd', config });
    expect([status, headers['drydock-ignored']]).toEqual([
      201,
      'body.config.image, body.config.resources.cpus',
    ]);
  });

  test('that already exists reports which settings were not applied', async () => {
    await create({ key: 'there' });
    const { status, body, headers } = await create({ key: 'there', config: { resources: { cpu_cores: 4 } } });
    expect([status, body.created, headers['drydock-ignored']]).toEqual([200, false, 'body.config']);
  });

  test('that is not running is refused with the next step', async () => {
    const { body } = await create({ key: 'idle' });
    expect(await owner.post(`${W}/runtimes/${body.id}/exec`, { command: 'true' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/does not run; start it first/) },
    });
  });

  test('whose command has a misspelt timeout reports it as ignored', async () => {
    const { body } = await create({ key: 'idle' });
    const { headers } = await owner.post(`${W}/runtimes/${body.id}/exec`, { command: 'ls', timeout: 5 });
    expect(headers['drydock-ignored']).toBe('body.timeout');
  });

  test('port that is not exposed is refused with where to add it', async () => {
    const { body } = await create({ key: 'idle' });
    const { status, body: error } = await owner.get(`${W}/runtimes/${body.id}/ports/8000/`);
    expect([status, error.detail]).toEqual([404, expect.stringContaining('sandbox.exposed_ports')]);
  });
});

describe('a bundle', () => {
  const publish = (content: Buffer, version = '1.0.0') =>
    owner.put(`/org/main/datasets/capitals/${version}`, content, GZIP);
  const manifest = 'summary: Capitals\nsplits: {train: train.jsonl}\n';
  const rows = '{"a": 1}\n';

  test.each<[string, Buffer, string, string]>([
    [
      'packed with its folder',
      bundle({ 'ok/dataset.yaml': manifest, 'ok/train.jsonl': rows }),
      '1.0.0',
      'pack what is in that folder, not the folder',
    ],
    ['that is a zip', Buffer.from('PK\x03\x04 and the rest of a zip'), '1.0.0', 'send a tar.gz'],
    [
      'with a bad row',
      bundle({ 'dataset.yaml': manifest, 'train.jsonl': '{"a": 1}\n{"a":\n' }),
      '1.0.0',
      'train.jsonl, line 2',
    ],
    [
      'for "latest"',
      bundle({ 'dataset.yaml': manifest, 'train.jsonl': rows }),
      'latest',
      'no range, no "latest", no leading "v"',
    ],
    [
      'with a misspelt key',
      bundle({ 'dataset.yaml': `sumary: x\n${manifest}`, 'train.jsonl': rows }),
      '1.0.0',
      'line 1: "sumary" is not a key of this manifest; did you mean "summary"?',
    ],
  ])('%s is refused with the reason', async (_what, content, version, detail) => {
    const { status, body } = await publish(content, version);
    expect([status, body.detail]).toEqual([422, expect.stringContaining(detail)]);
  });

  test('that has unknown keys is published, and the keys are reported as ignored', async () => {
    const content = bundle({ 'dataset.yaml': `colour: red\n${manifest}`, 'train.jsonl': rows });
    const { status, headers } = await publish(content, '2.0.0');
    expect([status, headers['drydock-ignored']]).toEqual([201, 'manifest.colour']);
  });

  test('that changes the content of a published version is refused with what to do', async () => {
    await publish(bundle({ 'dataset.yaml': manifest, 'train.jsonl': rows }), '3.0.0');
    const other = await publish(
      bundle({ 'dataset.yaml': manifest, 'train.jsonl': `${rows}${rows}` }),
      '3.0.0',
    );
    expect([other.status, other.body.detail]).toEqual([
      409,
      expect.stringContaining('exists with other content. Publish a new version.'),
    ]);
  });
});

describe('an SQL query', () => {
  test.each([
    ['SELECT * FROM sesions', 'There is no table "sesions". Did you mean sessions? (line 1, column 15)'],
    ['SELECT modle FROM sessions', 'column "modle" not found in FROM clause! Candidate bindings: "model"'],
    ['DELETE FROM sessions', 'Only a SELECT can be asked'],
    ["SELECT * FROM read_csv('/etc/passwd')", 'cannot be used here'],
  ])('%s is refused with the reason', async (query, detail) => {
    const { status, body } = await owner.post(`${W}/query`, { query });
    expect([status, body.detail]).toEqual([422, expect.stringContaining(detail)]);
  });
});

describe('a trace', () => {
  test('for a workspace that does not exist is rejected with its name', async () => {
    const attributes = [{ key: 'drydock.workspace', value: { stringValue: 'nowhere' } }];
    const span = {
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: 'eee19b7ec3c1b174',
      name: 'x',
      startTimeUnixNano: '1769860800000000000',
      endTimeUnixNano: '1769860801000000000',
    };
    const request = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }] };
    const { status, body } = await owner.post('/org/main/otel/traces', request);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toMatch(/nowhere/);
    expect(JSON.stringify(body)).toMatch(/drydock\.workspace/);
  });
});

describe('an S3 request', () => {
  const access = async () => toAccess((await owner.get(CREDENTIALS_PATH)).body);
  const put = (given: S3Access, key = `${given.prefix}a`) =>
    openS3(given, { maxAttempts: 1 }).send(
      new PutObjectCommand({ Bucket: given.bucket, Key: key, Body: 'x' }),
    );

  test('that has a wrong secret is refused with what to check', async () => {
    await expect(put({ ...(await access()), secretAccessKey: 'wrong' })).rejects.toMatchObject({
      name: 'SignatureDoesNotMatch',
      message: expect.stringContaining('check the secret key'),
    });
  });

  test('that lacks the session token is refused with the request to send it', async () => {
    const { sessionToken: _token, ...given } = await access();
    await expect(put(given as S3Access)).rejects.toMatchObject({
      name: 'InvalidAccessKeyId',
      message: expect.stringContaining('Send the session token that it came with, too.'),
    });
  });

  test('outside the prefix, for the bucket list or for a new bucket is refused with what the credentials reach', async () => {
    const given = await access();
    const s3 = openS3(given, { maxAttempts: 1 });
    const expected = {
      name: 'AccessDenied',
      message: expect.stringContaining('below their prefix'),
    };
    await expect(put(given, 'elsewhere/a')).rejects.toMatchObject(expected);
    await expect(s3.send(new ListBucketsCommand())).rejects.toMatchObject(expected);
    await expect(s3.send(new CreateBucketCommand({ Bucket: 'mine' }))).rejects.toMatchObject(expected);
  });
});
