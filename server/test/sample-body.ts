/** Builds the smallest valid body for an operation, so that it is never refused for its form; for an upload, one of its type. */
import { makeBundle, makeManifest } from '../fuzz/bundle.ts';
import { type ApiDocument, document as committed, type DocumentedOperation } from './operations.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const TEXTS = ['sample', 'sample@example.com', 'SAMPLE', '1.0.0', '0'.repeat(64)];

const VERSION = '1.0.0';

/** @param name of the published artifact: the manifest repeats it, and the version 1.0.0 */
export function sampleBody(
  path: string,
  method: DocumentedOperation['method'],
  document: ApiDocument = committed,
  name = 'sample',
): unknown {
  const { requestBody } = document.paths[`/api/v1${path}`]?.[method] ?? {};
  const schema = requestBody?.content?.['application/json']?.schema;
  if (!schema) return requestBody?.content?.['application/gzip'] && makeBundle(name, VERSION);
  const body = sample(document, schema);
  // No schema describes the content of a manifest or of an SQL query.
  if (isQuestion(body)) return { ...body, query: 'SELECT 1 AS one' };
  // No schema requires exactly one of several fields.
  if (path.includes('/evaluation') && isNamedModel(body)) return { ...body, task_names: ['sample'] };
  if (isOptimization(body)) return { ...body, ...OPTIMIZED };
  if (path.endsWith('/gates') || path.endsWith('/gates/{gate}'))
    return { ...(body as object), rules: [{ kind: 'pass_rate', task_set: 'sample', bound: 1 }] };
  // No schema requires at least one of these fields.
  if (path.endsWith('/config')) return { version: 'v2' };
  if (path.endsWith('/check')) return { model: 'sim/echo' };
  if (isTraining(body)) return { ...body, config: { dataset_ref: OPTIMIZED.dataset_ref } };
  return isAnnouncement(body) ? { ...body, manifest: makeManifest(name, VERSION) } : body;
}

const isQuestion = (body: unknown): body is { query: unknown } =>
  typeof body === 'object' && body !== null && 'query' in body;

const isNamedModel = (body: unknown): body is { name: unknown; model: unknown } =>
  typeof body === 'object' && body !== null && 'name' in body && 'model' in body;

/** Agents are scored on rows, and the first recipe of the schema needs a parameter. */
const OPTIMIZED = {
  dataset_ref: { name: 'sample', version: VERSION },
  reward_recipe: { name: 'row_reward_v1' },
};

const isOptimization = (body: unknown): body is { reward_recipe: unknown } =>
  typeof body === 'object' && body !== null && 'reward_recipe' in body;

const isTraining = (body: unknown): body is { config: unknown } =>
  typeof body === 'object' && body !== null && 'capability_ref' in body && 'config' in body;

const isAnnouncement = (body: unknown): body is { manifest: unknown } =>
  typeof body === 'object' && body !== null && 'manifest' in body;

function sample(document: ApiDocument, schema: Schema): unknown {
  const inner = (part: Schema) => sample(document, part);
  if (schema.$ref) return inner(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return inner(schema.anyOf.find(({ type }) => type !== 'null') ?? {});
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, inner(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => inner(schema.items ?? {}));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return sampleText(schema);
    default:
      return null;
  }
}

function sampleText({ format, pattern, minLength = 0 }: Schema): string {
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (format === 'date-time') return '2999-01-01T00:00:00.000Z';
  const text = TEXTS.find((candidate) => !pattern || new RegExp(pattern).test(candidate));
  if (text === undefined) throw new Error(`No sample text fits ${pattern}; add one.`);
  return text.padEnd(minLength, 'x');
}

/** Returns the required query of an operation, with the question mark. */
export function sampleQuery(path: string): string {
  if (path.endsWith('/main/lineage')) return '?kind=dataset&name=canary&version=1.0.0';
  return /\/files(\/list)?$/.test(path) ? '?path=canary' : '';
}
