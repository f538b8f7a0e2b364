/** Generates the client's files from the OpenAPI document: types, their public names, and a table of operations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypeScript, { astToString, type OpenAPI3 } from 'openapi-typescript';

export interface ApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, { readonly description?: string }>> };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly 'x-long'?: boolean;
}

interface DocumentedResponse {
  readonly description?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

const HEADING = '/** Written by `npm run generate` from openapi.json. Do not edit. */\n';

/** Returns the content of each generated file by its name under sdk/src. */
export async function generateClient(document: ApiDocument): Promise<Record<string, string>> {
  return {
    'schema.gen.ts': HEADING + (await describeSchemas(document)),
    'models.gen.ts': HEADING + listModels(document),
    'operations.gen.ts': HEADING + listOperations(document),
  };
}

/** Output of openapi-typescript that the client does not use. */
const UNUSED = new Set(['paths', 'webhooks', '$defs']);

async function describeSchemas(document: ApiDocument): Promise<string> {
  const nodes = await openapiTypeScript(withoutErrors(document) as unknown as OpenAPI3, {
    defaultNonNullable: false, // fields with a default are optional
    silent: true,
  });
  return astToString(nodes.filter((node) => !('name' in node && UNUSED.has(nameOf(node.name)))));
}

const nameOf = (identifier: unknown) => (identifier as { text?: string } | undefined)?.text ?? '';

/** Every operation declares the same error responses, which DrydockError covers: without them the file is a third as long. */
function withoutErrors(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document) as { paths?: Record<string, Record<string, DocumentedOperation>> };
  for (const item of Object.values(copy.paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      const successes = Object.entries(operation.responses).filter(([status]) => Number(status) < 400);
      item[method] = { ...operation, responses: Object.fromEntries(successes) };
    }
  }
  return copy;
}

function listModels({ components }: ApiDocument): string {
  const models = Object.entries(components?.schemas ?? {}).map(([name, { description }]) => {
    const comment = description ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
    return `${comment}export type ${name} = components['schemas']['${name}'];\n`;
  });
  return `import type { components } from './schema.gen.ts';\n\n${models.join('')}`;
}

function listOperations({ paths = {} }: ApiDocument): string {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.operationId ? [describeOperation(operation.operationId, method, path, operation)] : [],
    ),
  );
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
    version: string;
  };
  return [
    `import type { OperationId } from './operation-types.ts';`,
    `import type { Operation } from './transport.ts';`,
    '',
    `/** The package's own version, told to the server with each request. */`,
    `export const VERSION = '${version}';`,
    '',
    'export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {',
    ...entries,
    '};',
    '',
  ].join('\n');
}

const JSON_TYPE = 'application/json';
/** Response types selected by the calling method: `call` or `events`. */
const ALWAYS_READ = new Set([JSON_TYPE, 'text/event-stream']);

function describeOperation(
  id: string,
  method: string,
  path: string,
  { parameters = [], requestBody, responses, 'x-long': isLong }: DocumentedOperation,
): string {
  const takesKey = parameters.some(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  );
  const body = Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([, { content }]) => otherThanJson(content))
    .filter((type) => !ALWAYS_READ.has(type));
  const [upload] = otherThanJson(requestBody?.content);
  const fields = [
    `method: '${method.toUpperCase()}'`,
    `path: '${path}'`,
    ...(takesKey ? ['takesIdempotencyKey: true'] : []),
    ...(body.length > 0 ? [`accept: '${body.join(', ')}'`] : []),
    ...(upload === undefined ? [] : [`upload: '${upload}'`]),
    ...(isLong ? ['isLong: true'] : []),
    ...('302' in responses ? ['isRedirect: true'] : []),
  ];
  return `  ${id}: { ${fields.join(', ')} },`;
}

/** Returns no types when JSON is among them, since the client then uses JSON. */
function otherThanJson(content: Readonly<Record<string, unknown>> = {}): string[] {
  return JSON_TYPE in content ? [] : Object.keys(content);
}
