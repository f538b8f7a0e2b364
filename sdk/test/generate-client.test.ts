import { expect, test } from 'vitest';
import { generateClient } from '../scripts/generate-client.ts';

const response = (type: string) => ({ description: 'Success', content: { [type]: { schema: {} } } });
const failure = { description: 'Failure', content: { 'application/json': { schema: {} } } };

const document = {
  openapi: '3.1.0',
  info: { title: 'Test', version: '1' },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        description: 'One of many',
        properties: { size: { type: 'integer', default: 1 } },
      },
    },
  },
  paths: {
    '/api/v1/things/{id}': {
      post: {
        operationId: 'makeThing',
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'string' } },
          { in: 'header', name: 'Idempotency-Key', schema: { type: 'string' } },
        ],
        responses: { 201: response('application/json'), 422: failure },
      },
      get: {
        operationId: 'followThing',
        responses: { 200: response('text/event-stream'), 204: { description: 'Nothing' }, 404: failure },
      },
    },
    '/api/v1/things/{id}/files/{path}': {
      put: {
        operationId: 'putFile',
        requestBody: {
          required: true,
          content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } },
        },
        responses: { 200: response('application/json'), 201: response('application/json') },
      },
      post: { operationId: 'completeFile', 'x-long': true, responses: { 201: response('application/json') } },
      get: { operationId: 'getFile', responses: { 302: { description: 'Found elsewhere' } } },
    },
    '/api/v1/spans': {
      post: {
        operationId: 'pushSpans',
        requestBody: { required: true, content: { 'application/x-protobuf': {}, 'application/json': {} } },
        responses: {
          200: { description: 'Success', content: { 'application/x-protobuf': {}, 'application/json': {} } },
        },
      },
    },
    '/api/v1/metrics': { get: { operationId: 'getMetrics', responses: { 200: response('text/plain') } } },
  },
};

const files = await generateClient(document);

test('the generated table describes how each operation is called', () => {
  const lines = files['operations.gen.ts']?.split('\n').filter((line) => line.startsWith('  '));
  expect(lines).toEqual([
    "  makeThing: { method: 'POST', path: '/api/v1/things/{id}', takesIdempotencyKey: true },",
    "  followThing: { method: 'GET', path: '/api/v1/things/{id}' },",
    "  putFile: { method: 'PUT', path: '/api/v1/things/{id}/files/{path}', upload: 'application/gzip' },",
    "  completeFile: { method: 'POST', path: '/api/v1/things/{id}/files/{path}', isLong: true },",
    "  getFile: { method: 'GET', path: '/api/v1/things/{id}/files/{path}', isRedirect: true },",
    "  pushSpans: { method: 'POST', path: '/api/v1/spans' },",
    "  getMetrics: { method: 'GET', path: '/api/v1/metrics', accept: 'text/plain' },",
  ]);
});

test('every schema is exported by its name', () => {
  expect(files['models.gen.ts']).toContain(
    "/** One of many */\nexport type Thing = components['schemas']['Thing'];\n",
  );
});

test('generated types contain only successful responses, and fields with a default are optional', () => {
  const types = files['schema.gen.ts'] ?? '';
  expect(types).toMatch(/size\?: number/);
  expect(types).toMatch(/followThing: \{/);
  expect(types).not.toMatch(/Failure|interface paths/);
});
