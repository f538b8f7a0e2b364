/** Checks values against the part of JSON Schema that the document uses. */
import type { ApiDocument, Schema } from './document.ts';
import { typesOf } from './values.ts';

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** @returns the first mismatch, or undefined */
export function findMisfit(
  document: ApiDocument,
  given: Schema,
  value: unknown,
  place = '$',
): string | undefined {
  const schema = document.resolve(given);
  const inner = (part: Schema, item: unknown, step = '') => findMisfit(document, part, item, place + step);
  if (schema.const !== undefined && value !== schema.const)
    return `${place}: is not ${JSON.stringify(schema.const)}`;
  if (schema.enum && !schema.enum.includes(value)) return `${place}: is none of the listed values`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && choices.every((choice) => inner(choice, value))) return `${place}: fits none of its forms`;
  for (const part of schema.allOf ?? []) {
    const misfit = inner(part, value);
    if (misfit) return misfit;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `${place}: is ${describeType(value)}, not ${types.join(' or ')}`;
  if (typeof value === 'string') return misfitOfText(schema, value, place);
  if (typeof value === 'number') return misfitOfNumber(schema, value, place);
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && firstOf(value.map((item, at) => inner(items, item, `[${at}]`)));
  }
  if (typeof value === 'object' && value !== null) return misfitOfObject(schema, value, place, inner);
  return undefined;
}

function misfitOfText(schema: Schema, text: string, place: string): string | undefined {
  const form = FORMATS[schema.format ?? ''];
  if (form && !form.test(text)) return `${place}: is no ${schema.format}`;
  if (text.length < (schema.minLength ?? 0)) return `${place}: is too short`;
  if (Array.from(text).length > (schema.maxLength ?? Infinity)) return `${place}: is too long`;
  if (schema.pattern && !new RegExp(schema.pattern).test(text)) return `${place}: does not match its pattern`;
  return undefined;
}

function misfitOfNumber({ minimum = -Infinity, maximum = Infinity }: Schema, value: number, place: string) {
  return value < minimum || value > maximum ? `${place}: is out of bounds` : undefined;
}

function misfitOfObject(
  { required = [], properties = {}, additionalProperties }: Schema,
  value: object,
  place: string,
  inner: (part: Schema, item: unknown, step: string) => string | undefined,
): string | undefined {
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${place}: lacks ${missing}`;
  return firstOf(
    Object.entries(value).map(([name, item]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const schema = known ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      if (schema) return inner(schema, item, `.${name}`);
      // Responses are cut to their schema, so unknown fields are an error.
      return Object.keys(properties).length > 0
        ? `${place}: holds ${name}, which is not declared`
        : undefined;
    }),
  );
}

const firstOf = (misfits: readonly (string | undefined)[]) => misfits.find((misfit) => misfit !== undefined);

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return describeType(value) === type;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
