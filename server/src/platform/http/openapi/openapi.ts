/** The OpenAPI document, generated from the schemas that validate requests and responses. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { ContentTypes } from '../operations.ts';
import {
  bodyExample,
  describeFields,
  describeParameter,
  type Parameter,
  type SchemaNode,
} from './openapi-examples.ts';
import { type DescribedResponse, linkOperations, TAGS } from './openapi-links.ts';

export type OpenApiDocument = ReturnType<FastifyInstance['swagger']>;

const INTRODUCTION = `Run, evaluate, attack, train and improve AI agents.

Enter an API key above to try operations here. The first start of a server prints one, for the organization \`main\` with the
workspace \`main\`, which the examples use.

- **Errors** have the shape ErrorResponse. Their \`detail\` says what is wrong and what to do; \`errors\` lists every mistake of a
  request.
- **Unknown names**: a query parameter that is nearly a known one is refused. Everything else that an operation does not know is
  ignored, and named in the response header \`Drydock-Ignored\`.
- **Lists**: query parameters that are lists can be repeated. Lists of states, ids and numbers can have commas between their values.
- **Retries**: POSTs below an organization take an \`Idempotency-Key\`, and answer the same for 24 hours.
`;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export async function documentOperations(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Drydock',
        version,
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An access token or an API key' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    },
    // The rest of a path is an ordinary parameter.
    transform: ({ url, ...route }) => describeBodies({ ...route, url: url.replace(/\/\*$/, '/:path') }),
    transformObject: (document) => cleanComponents(jsonSchemaTransformObject(document)),
  });
}

/** Marks an operation whose body has one of several types with a schema each; the plugin supports only one. */
export const BODY_TYPES = 'x-body-types';

type Route = Parameters<typeof jsonSchemaTransform>[0];

function describeBodies(route: Route): ReturnType<typeof jsonSchemaTransform> {
  const { [BODY_TYPES]: types, ...schema } = route.schema as typeof route.schema & {
    [BODY_TYPES]?: ContentTypes;
  };
  const described = jsonSchemaTransform({ ...route, schema });
  if (!types) return described;
  const content = Object.entries(types).map(([type, body]) => {
    const { body: inJson } = jsonSchemaTransform({ ...route, schema: { body } }).schema;
    return [type, { schema: inJson }];
  });
  return { ...described, schema: { ...described.schema, body: { content: Object.fromEntries(content) } } };
}

/**
 * Each named schema arrives twice, as `X` (for responses) and `XInput` (for requests). Only referenced schemas are kept, under one name
 * when the two are equal or only one is used.
 */
function cleanComponents<T extends object>(document: T): T {
  const whole = document as unknown as { components: { schemas: Record<string, Json> }; paths: Json };
  const { schemas } = whole.components;
  const used = usedNames(whole.paths, schemas);
  // Every schema has a twin whose name ends with "Input"; a name without such a twin is itself the twin.
  const plainName = (name: string) => (`${name}Input` in schemas ? name : name.replace(/Input$/, ''));
  const names = new Map<string, string>();
  for (const name of used) {
    const plain = plainName(name);
    const isSame = JSON.stringify(schemas[name]) === JSON.stringify(schemas[plain]);
    names.set(name, used.has(plain) && !isSame ? name : plain);
  }
  const kept = [...used].map(
    (name) => [names.get(name) ?? name, tidy(schemas[name] ?? null, names)] as const,
  );
  kept.sort(([a], [b]) => (a < b ? -1 : 1));
  const components = Object.fromEntries(kept) as Record<string, SchemaNode>;
  for (const [name, schema] of Object.entries(components)) describeFields(schema, name);
  return {
    ...document,
    components: { ...whole.components, schemas: components },
    paths: describeOperations(tidy(whole.paths, names) as unknown as Paths, components) as unknown as Json,
  };
}

const MEANINGS: Record<string, string> = {
  101: 'Switching protocols',
  200: 'Success',
  201: 'Created',
  302: 'Found elsewhere',
  400: 'Invalid request',
  401: 'Authentication failed',
  403: 'Access forbidden',
  404: 'Not found',
  409: 'Already exists, or not possible in this state',
  422: 'Validation error',
  426: 'Upgrade required',
  429: 'Rate limited',
  500: 'Internal server error',
  502: 'Bad gateway',
  504: 'Gateway timeout',
};

/** Marks an operation with an optional body, which the plugin would have declared as required. */
export const OPTIONAL_BODY = 'x-optional-body';

interface DescribedOperation {
  operationId: string;
  parameters?: Parameter[];
  responses: Record<string, DescribedResponse>;
  requestBody?: { required?: boolean; content?: Record<string, { schema?: SchemaNode; example?: unknown }> };
  [OPTIONAL_BODY]?: boolean;
}

type Paths = Record<string, Record<string, DescribedOperation>>;

function describeOperations(paths: Paths, components: Record<string, SchemaNode>): Paths {
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      const { operationId, parameters = [], requestBody } = operation;
      if (operation[OPTIONAL_BODY] && requestBody) requestBody.required = false;
      delete operation[OPTIONAL_BODY];
      for (const parameter of parameters) describeParameter(parameter);
      const body = requestBody?.content?.['application/json'];
      if (body?.schema) describeFields(body.schema, operationId);
      if (body) body.example = bodyExample(operationId);
      for (const [status, response] of Object.entries(operation.responses)) {
        response.description = MEANINGS[status] ?? response.description;
        for (const { schema } of Object.values(response.content ?? {}))
          if (schema) describeFields(schema, operationId);
      }
    }
  }
  linkOperations(paths, components);
  return paths;
}

const REFERENCE = '#/components/schemas/';

function usedNames(root: Json, schemas: Record<string, Json>): Set<string> {
  const used = new Set<string>();
  const visit = (node: Json): void => {
    if (Array.isArray(node)) for (const item of node) visit(item);
    else if (typeof node === 'object' && node !== null) {
      for (const [key, value] of Object.entries(node)) {
        if (key !== '$ref' || typeof value !== 'string') visit(value);
        else if (!used.has(value.slice(REFERENCE.length))) {
          used.add(value.slice(REFERENCE.length));
          visit(schemas[value.slice(REFERENCE.length)] ?? null);
        }
      }
    }
  };
  visit(root);
  return used;
}

/** Renames references, and removes redundant keywords: the pattern of a known format, and `additionalProperties: false`. */
function tidy(node: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(node)) return node.map((item) => tidy(item, names));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(
    ([key, value]) =>
      !(key === 'pattern' && 'format' in node) && !(key === 'additionalProperties' && value === false),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string') return [key, tidy(value, names)];
      const name = value.slice(REFERENCE.length);
      return [key, REFERENCE + (names.get(name) ?? name)];
    }),
  );
}
