/** Operations that accept bytes or lead to them: the requests that are sent, and the problems found in their responses. */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ApiDocument, type RawDocument } from './document.ts';
import { generateRequest, type World } from './generate.ts';
import { judge } from './judge.ts';
import type { FuzzRequest } from './request.ts';

const error = { description: 'No', content: { 'application/json': { schema: {} } } };
const raw = {
  components: {
    schemas: {
      ErrorResponse: { type: 'object', properties: { code: {}, detail: {}, type: {} } },
      Upload: { type: 'object', properties: { manifest: { type: 'object' } }, required: ['manifest'] },
    },
  },
  paths: {
    '/api/v1/org/{org}/notes/{name}/{version}': {
      put: {
        operationId: 'publishNote',
        requestBody: { content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } } },
        responses: { 200: error, 201: error },
      },
    },
    '/api/v1/org/{org}/notes/{name}/{version}/uploads': {
      post: {
        operationId: 'createNoteUpload',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Upload' } } } },
        responses: { 201: error },
      },
    },
    '/api/v1/org/{org}/notes/{name}/{version}/files/{path}': {
      get: {
        operationId: 'getNoteFile',
        'x-access': { level: 'artifact' },
        responses: { 302: {}, 404: error },
      },
    },
  },
} as unknown as RawDocument;

const document = new ApiDocument(raw);
const [, , reading] = document.operations;
const world: World = {
  document,
  credential: (persona) => `dd_${persona}`,
  pathValues: (path) => [path.endsWith('{path}') ? 'a b/c.txt' : 'x', 'b', 'c', 'd'],
  known: () => [],
};
const generate = (count: number) =>
  Array.from({ length: count }, (_, index) => generateRequest(world, 'a', index));
const typeOf = ({ headers }: FuzzRequest) => headers.find(([name]) => name === 'Content-Type')?.[1];

test('an upload starts as a bundle of what its path names, and becomes odd', () => {
  const [first, ...others] = generate(900).filter(({ operation }) => operation.upload);
  expect(first && typeOf(first)).toBe('application/gzip');
  const bundle = gunzipSync(first?.body ?? Buffer.alloc(0)).toString('latin1');
  for (const text of ['dataset.yaml', 'train.jsonl', '"name":"x","version":"x"'])
    expect(bundle).toContain(text);
  const bodies = new Set(others.map(({ body }) => body?.toString('base64') ?? 'none'));
  expect(bodies.size).toBeGreaterThan(80);
  expect([...bodies]).toEqual(expect.arrayContaining(['none', '']));
  expect(new Set(others.map(typeOf)).size).toBeGreaterThan(5);
});

test('an announced upload has a manifest of what its path names', () => {
  const { manifest } = JSON.parse(String(generate(2)[1]?.body));
  expect(manifest).toMatchObject({ name: 'x', version: '2.0.0', instruction: 'do it' });
});

test('the rest of a path is sent as one part and matched with its slashes', () => {
  const target = '/api/v1/org/x/notes/x/x/files/a%20b%2Fc.txt';
  expect(generate(3)[2]?.target).toBe(target);
  for (const path of [target, '/api/v1/org/x/notes/x/x/files/a/b/c?d=/e'])
    expect(document.match('GET', path)?.id).toBe('getNoteFile');
  expect(document.match('GET', '/api/v1/org/x/notes/x/x/file')).toBeUndefined();
});

test.each([
  ['a redirect', 302, '', { location: 'http://127.0.0.1:9000/a' }, true],
  ['a redirect to nowhere', 302, '', {}, false],
  ['a redirect with a body', 302, 'x', { location: 'http://127.0.0.1:9000/a' }, false],
  ['a refusal that reveals that something exists', 403, 'You are no member.', {}, false],
  ['a refusal of a key', 403, 'This key lacks the scope "datasets:read".', {}, true],
])('judge classifies %s', (_name, status, detail, more, isGood) => {
  const [, , asked] = generate(3);
  const body = status < 400 ? detail : JSON.stringify({ code: status, type: 'forbidden_error', detail });
  const type: Record<string, string> = status < 400 ? {} : { 'content-type': 'application/json' };
  const always = { 'x-request-id': '1', 'x-content-type-options': 'nosniff', ...type };
  const headers = new Map(Object.entries({ ...always, ...more }));
  const response = { status, headers, body: Buffer.from(body), isWhole: true };
  const exchange = { responses: [response], ending: 'answered', leftover: 0, milliseconds: 1 } as const;
  if (!asked || asked.operation !== reading) throw new Error('the third request reads');
  expect(judge(document, asked, exchange).length === 0).toBe(isGood);
});
