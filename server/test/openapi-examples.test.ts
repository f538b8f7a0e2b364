/** Users read the OpenAPI document first: it must describe every name in it, and its examples must work. */
import { expect, test } from 'vitest';
import type { SchemaNode } from '../src/platform/http/openapi/openapi-examples.ts';
import { startTestServer } from './harness.ts';
import { document, operations } from './operations.ts';

const server = await startTestServer({ DRYDOCK_SIGNUP: 'open' });

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly {
    name: string;
    description?: string;
    schema?: SchemaNode;
    example?: unknown;
  }[];
  readonly requestBody?: { content?: Record<string, { schema?: SchemaNode; example?: unknown }> };
  readonly responses: Record<
    string,
    { links?: Record<string, unknown>; content?: Record<string, { schema?: SchemaNode }> }
  >;
}

const described = Object.values(document.paths).flatMap(
  (methods) => Object.values(methods ?? {}) as unknown as Described[],
);

test('every tag of an operation is described', () => {
  const { tags } = document as unknown as { tags: { name: string; description: string }[] };
  const used = new Set(operations.flatMap((operation) => operation.tags as string[]));
  expect(new Set(tags.map(({ name }) => name))).toEqual(used);
});

test('every parameter has a description and an example', () => {
  const lacking = described.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(
        ({ description, schema, example }) => !(description ?? schema?.description) || example === undefined,
      )
      .map(({ name }) => `${operationId} ${name}`),
  );
  expect(lacking).toEqual([]);
});

test('every field is described, at its place or by its schema', () => {
  const lacking: string[] = [];
  const visit = (schema: SchemaNode | undefined, place: string) => {
    if (!schema) return;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const refers = field.$ref ?? field.allOf ?? field.anyOf?.find(({ $ref }) => $ref);
      if (!field.description && !refers) lacking.push(`${place}.${name}`);
      visit(field, `${place}.${name}`);
    }
    for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(part, place);
  };
  const schemas = document.components.schemas as unknown as Record<string, SchemaNode>;
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  for (const { operationId, requestBody, responses } of described) {
    for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, operationId);
    for (const { content = {} } of Object.values(responses))
      for (const { schema } of Object.values(content)) visit(schema, operationId);
  }
  expect(lacking).toEqual([]);
});

test('operations that create something link to those that read and delete it', () => {
  const linksOf = (id: string) =>
    Object.keys(described.find(({ operationId }) => operationId === id)?.responses['201']?.links ?? {});
  expect(linksOf('createProject')).toEqual(['getProject', 'updateProject', 'deleteProject']);
  expect(linksOf('createEvaluation')).toContain('getEvaluation');
  expect(linksOf('createRuntime')).toContain('getRuntime');
});

test.each([
  ['completeOnboarding', 'username', { pattern: expect.stringContaining('a-z0-9') }],
  ['createProject', 'key', { pattern: expect.stringContaining('a-z0-9') }],
  ['createProject', 'name', { minLength: 1, maxLength: 255 }],
  ['createEvaluation', 'concurrency', { minimum: 1, maximum: expect.any(Number) }],
  ['createTaskSet', 'members', { maxItems: 10_000 }],
])('the document contains the limits that %s sets on %s', (id, field, bounds) => {
  const operation = described.find(({ operationId }) => operationId === id);
  const schema = operation?.requestBody?.content?.['application/json']?.schema;
  const { properties = {} } =
    (document.components.schemas as unknown as Record<string, SchemaNode>)[
      schema?.$ref?.split('/').at(-1) ?? ''
    ] ?? {};
  expect(properties[field]).toMatchObject(bounds);
});

const withBody = operations.filter(({ path, method }) => {
  const { requestBody } = document.paths[`/api/v1${path}`]?.[method] ?? {};
  return requestBody?.content?.['application/json'] !== undefined;
});

test.each(withBody)('the operation accepts the example of $id as its body', async ({ id, path, method }) => {
  const given = described.find(({ operationId }) => operationId === id)?.requestBody?.content?.[
    'application/json'
  ];
  expect(given?.example).toBeTypeOf('object');
  const there = path
    .replace(/\{(org|workspace)\}/g, 'main')
    .replace('{version}', '1.0.0')
    .replace(/\{(name|alias|gate|tool|server|transform)\}/g, 'reviewer')
    .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');
  const { status, body, headers } = await server.as(server.owner)[method](there, given?.example);
  // Resources that an example refers to do not exist here; only its form must be valid.
  const complaints = (body?.errors ?? []).filter(
    ({ type, loc, msg }: { type: string; loc: string[]; msg: string }) =>
      loc[0] === 'body' && (type !== 'invalid_value' || /^must be (one of )?"/.test(msg)),
  );
  expect({ isBadForm: status === 400, complaints, ignored: headers['drydock-ignored'] }).toEqual({
    isBadForm: false,
    complaints: [],
    ignored: undefined,
  });
});
