/** The OpenAPI document of the server under test, read as a list of operations. */

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: Schema;
}

export interface Access {
  readonly level?: string;
  readonly platform_admin?: boolean | 'only';
  readonly narrowed_keys?: boolean;
}

export interface DeclaredBody {
  readonly mediaType: string;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Path with its placeholders: /api/v1/user/secrets/{id}. */
  readonly path: string;
  /** Every other method leads to it, too. */
  readonly isOfAnyMethod: boolean;
  readonly isPublic: boolean;
  /** The access that the operation requires according to the document. */
  readonly access: Access;
  readonly query: readonly Parameter[];
  readonly body: Schema | undefined;
  /** The content type of the bytes that it accepts, if its body is not JSON. */
  readonly upload: string | undefined;
  /** The content type of the bytes that it accepts besides JSON. */
  readonly otherUpload: string | undefined;
  /** The declared bodies of each status, in one of several types; empty if it has no body. */
  readonly responses: ReadonlyMap<number, readonly DeclaredBody[]>;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly 'x-access'?: Access;
  readonly 'x-any-method'?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

export interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const JSON_TYPE = 'application/json';

export class ApiDocument {
  readonly operations: readonly Operation[];
  private readonly schemas: Readonly<Record<string, Schema>>;
  private readonly routes: readonly (readonly [pattern: RegExp, operation: Operation])[];

  constructor(raw: RawDocument) {
    this.schemas = raw.components.schemas;
    this.operations = Object.entries(raw.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => toOperation(path, method, operation)),
    );
    // A fixed path takes precedence over one with a placeholder at that place.
    this.routes = this.operations
      .toSorted((a, b) => placeholders(a.path).length - placeholders(b.path).length)
      .map((operation) => [toPattern(operation), operation] as const);
  }

  resolve(schema: Schema): Schema {
    if (!schema.$ref) return schema;
    const name = schema.$ref.split('/').at(-1) ?? '';
    const found = this.schemas[name];
    if (!found) throw new Error(`The document refers to ${schema.$ref}, which it does not hold.`);
    return this.resolve(found);
  }

  named(name: string): Schema {
    return this.resolve({ $ref: `#/components/schemas/${name}` });
  }

  find(method: string, path: string): Operation | undefined {
    return this.operations.find((operation) => operation.method === method && operation.path === path);
  }

  /** Returns the operation that handles a request line. */
  match(method: string, target: string): Operation | undefined {
    const [raw = ''] = target.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/);
    const path = decodePath(raw);
    return this.routes.find(
      ([pattern, operation]) =>
        (operation.method === method || isOther(operation, method)) && pattern.test(path),
    )?.[1];
  }
}

const OTHER_METHODS = new Set(['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const isOther = ({ isOfAnyMethod }: Operation, method: string) => isOfAnyMethod && OTHER_METHODS.has(method);

export const placeholders = (path: string): string[] =>
  [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? '');

function toOperation(path: string, method: string, raw: RawOperation): Operation {
  const types = raw.requestBody?.content ?? {};
  const bytes = Object.keys(types).find((type) => type !== JSON_TYPE);
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    isOfAnyMethod: raw['x-any-method'] === true,
    isPublic: raw.security?.length === 0,
    access: raw['x-access'] ?? {},
    query: (raw.parameters ?? []).filter((parameter) => parameter.in === 'query'),
    body: types[JSON_TYPE]?.schema,
    upload: JSON_TYPE in types ? undefined : bytes,
    otherUpload: JSON_TYPE in types ? bytes : undefined,
    responses: new Map(
      Object.entries(raw.responses).map(([status, { content }]) => [Number(status), toBodies(content)]),
    ),
  };
}

const toBodies = (content: Content['content']): DeclaredBody[] =>
  Object.entries(content ?? {}).map(([mediaType, { schema = {} }]) => ({ mediaType, schema }));

/** A parameter named `path` matches the rest of a path with its slashes; if every method leads to it, it may be missing. */
function toPattern({ path, isOfAnyMethod }: Operation): RegExp {
  const isRest = path.endsWith('{path}');
  const parts = path.replace(isOfAnyMethod ? /\/\{path\}$/ : /\{path\}$/, '').split(/\{[^}]+\}/);
  const end = isOfAnyMethod && isRest ? '(/.*)?' : isRest ? '.*' : '';
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join('[^/]*')}${end}$`, 's');
}

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
