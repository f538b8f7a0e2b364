/** Adds descriptions of fields and parameters, and examples of parameters and bodies, to the OpenAPI document. */
import { readFileSync } from 'node:fs';

/** Descriptions by field name. `Component.field` or `operationId.field` overrides one with another meaning. */
const FIELDS = readJson('field-descriptions.json') as Record<string, string>;
const EXAMPLES = readJson('examples.json') as {
  readonly bodies: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
};

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

export interface SchemaNode {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
  additionalProperties?: SchemaNode | boolean;
}

/**
 * Describes every field of a schema that has no description of its own.
 * @param name of the component, or the id of the operation
 */
export function describeFields(node: SchemaNode, name: string): void {
  for (const [field, schema] of Object.entries(node.properties ?? {})) {
    if (!schema.description && !refersElsewhere(schema)) {
      const description = FIELDS[`${name}.${field}`] ?? FIELDS[field];
      if (description !== undefined) schema.description = description;
    }
    describeFields(schema, name);
  }
  for (const part of [
    node.items,
    node.additionalProperties,
    ...(node.anyOf ?? []),
    ...(node.oneOf ?? []),
    ...(node.allOf ?? []),
  ])
    if (typeof part === 'object') describeFields(part, name);
}

/** Fields that refer to a component are described there. */
const refersElsewhere = ({ $ref, anyOf, allOf }: SchemaNode) =>
  $ref !== undefined || allOf !== undefined || (anyOf?.some((one) => one.$ref !== undefined) ?? false);

export interface Parameter {
  readonly name: string;
  readonly schema?: SchemaNode;
  description?: string;
  example?: unknown;
}

export function describeParameter(parameter: Parameter): void {
  const description = parameter.description ?? parameter.schema?.description ?? FIELDS[parameter.name];
  if (description !== undefined) parameter.description = description;
  parameter.example = exampleOf(parameter);
}

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Chooses an example of a parameter by its schema, else by its name. */
function exampleOf({ name, schema = {} }: Parameter): unknown {
  const { type, format } = schema;
  const values = schema.items?.enum ?? schema.enum;
  if (schema.default !== undefined) return schema.default;
  if (values) return type === 'array' ? [values[0]] : values[0];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1);
  if (format === 'date-time') return '2026-01-31T12:00:00Z';
  if (format === 'date') return '2026-01-31';
  if (format === 'uuid' || schema.items?.format === 'uuid') return type === 'array' ? [UUID] : UUID;
  const example = EXAMPLES.parameters[name] ?? name;
  return type === 'array' ? [example] : example;
}

export const bodyExample = (operationId: string): unknown => EXAMPLES.bodies[operationId];
