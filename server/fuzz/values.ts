/** Generates values for a JSON schema: valid ones, and ones at and beyond its limits. */
import type { ApiDocument, Schema } from './document.ts';
import type { RawJson } from './json-text.ts';
import { ODD_DATES, ODD_TEXTS, ODD_UUIDS, oddNumber, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

/** Real values to use: ids that exist, addresses that can log in. */
export type Known = (field: string, schema: Schema) => readonly string[];

export interface ValueContext {
  readonly document: ApiDocument;
  readonly random: Random;
  readonly known: Known;
  /** Whether to generate only required fields, and no value that could be refused for another reason than its form. */
  readonly isPlain?: boolean;
  /** Nesting depth, so that a recursive schema comes to an end. */
  readonly depth?: number;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DEFAULT_MAX = 64;
const MAX_DEPTH = 8;

export function typesOf(schema: Schema): readonly string[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

/** Returns a value that is valid as far as the schema can tell. */
export function goodValue(context: ValueContext, given: Schema, field = ''): unknown {
  const { random, document } = context;
  const schema = document.resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return goodValue(context, context.isPlain ? (choices[0] ?? {}) : random.pick(choices), field);
  const type = random.pick(typesOf(schema).length > 0 ? typesOf(schema) : ['any']);
  switch (type) {
    case 'object':
      return goodObject(context, schema);
    case 'array':
      return goodArray(context, schema, field);
    case 'integer':
      return goodInteger(random, schema);
    case 'number':
      return (schema.minimum ?? 0) + Math.round(random.fraction() * 1000) / 1000;
    case 'boolean':
      return random.chance(0.5);
    case 'string':
      return goodText(context, schema, field);
    case 'null':
      return null;
    default:
      return random.pick<unknown>(['x', 1, null, { a: [1] }]);
  }
}

/** Returns a positive number if both signs are valid, since there may be nothing yet to subtract from. */
function goodInteger(random: Random, { minimum = 0, maximum = 100 }: Schema): number {
  const least = minimum < 0 && maximum > 0 ? 1 : minimum;
  return random.integer(least, Math.min(maximum, least + 100));
}

function goodObject(outer: ValueContext, schema: Schema): Record<string, unknown> {
  const context = { ...outer, depth: (outer.depth ?? 0) + 1 };
  const { random, depth } = context;
  const isGiven = (name: string) =>
    schema.required?.includes(name) === true ||
    (!context.isPlain && depth <= MAX_DEPTH && random.chance(0.5));
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => isGiven(name));
  const value = Object.fromEntries(fields.map(([name, field]) => [name, goodValue(context, field, name)]));
  const extra = schema.additionalProperties;
  if (typeof extra === 'object') {
    for (let count = random.integer(0, 3); count > 0; count--)
      value[random.text(LETTERS, 5)] = goodValue(context, extra);
  }
  return value;
}

function goodArray(context: ValueContext, schema: Schema, field: string): unknown[] {
  const least = schema.minItems ?? 0;
  // A list of several items may have to be unique.
  const more = context.isPlain ? 1 : 3;
  const length = context.random.integer(least, Math.min(schema.maxItems ?? least + more, least + more));
  return Array.from({ length }, () => goodValue(context, schema.items ?? {}, field));
}

function goodText({ random, known, isPlain }: ValueContext, schema: Schema, field: string): string {
  const real = known(field, schema);
  if (isPlain && real[0] !== undefined) return real[0];
  if (real.length > 0 && random.chance(0.6)) return random.pick(real);
  if (schema.format === 'uuid') return random.uuid();
  if (schema.format === 'date-time')
    return `2${random.text('0123456789', 3)}-0${random.integer(1, 9)}-11T10:00:00.000Z`;
  const word = random.text(LETTERS, 8);
  if (schema.format === 'uri') return `https://${word}.example/v1`;
  const candidates = [
    word,
    `${word}@example.com`,
    word.toUpperCase(),
    '1.0.0',
    random.text('0123456789abcdef', 64),
    `https://${word}.example`,
  ];
  const fitting = candidates.filter((text) => !schema.pattern || new RegExp(schema.pattern).test(text));
  const text = isPlain ? (fitting[0] ?? word) : random.pick(fitting.length > 0 ? fitting : candidates);
  return text.padEnd(schema.minLength ?? 0, 'x').slice(0, schema.maxLength ?? text.length);
}

/** Returns a value at a limit of the schema, beyond it, or of another type. */
export function badValue(context: ValueContext, given: Schema): unknown {
  const { random, document } = context;
  const schema = document.resolve(given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices && random.chance(0.7)) return badValue(context, random.pick(choices));
  if (random.chance(0.35)) return oddValue(random);
  if (schema.enum)
    return random.pick<unknown>([`${String(schema.enum[0])} `, String(schema.enum[0]).toUpperCase(), '', 0]);
  const types = typesOf(schema);
  if (types.includes('string')) return badText(random, schema);
  if (types.includes('integer') || types.includes('number')) return badNumber(random, schema);
  if (types.includes('array')) return badArray(context, schema);
  if (types.includes('boolean')) return random.pick<unknown>(['true', 'false', 0, 1, 'on', '', []]);
  return oddValue(random);
}

function badText(random: Random, schema: Schema): string {
  if (schema.format === 'date-time' || schema.format === 'date') return random.pick(ODD_DATES);
  if (schema.format === 'uuid') return random.pick(ODD_UUIDS);
  const { minLength = 0, maxLength = DEFAULT_MAX } = schema;
  const filler = random.pick(['x', 'é', '💥', '\u0301']);
  const atLength = (length: number) =>
    filler.repeat(Math.max(0, Math.ceil(length / filler.length))).slice(0, length);
  return random.weighted([
    [1, atLength(minLength)],
    [1, atLength(minLength - 1)],
    [2, atLength(maxLength)],
    [2, atLength(maxLength + 1)],
    [1, atLength(Math.min(maxLength * 10, 500_000))],
    [4, random.pick(ODD_TEXTS)],
  ]);
}

function badNumber(random: Random, { minimum, maximum }: Schema): number | RawJson {
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  if (bounds.length === 0 || random.chance(0.4)) return oddNumber(random);
  return random.pick(bounds) + random.pick([-1, 0, 1, 0.5]);
}

function badArray(context: ValueContext, schema: Schema): unknown[] {
  const { random } = context;
  const item = () => goodValue(context, schema.items ?? {});
  const most = schema.maxItems ?? 100;
  const length = random.pick([0, (schema.minItems ?? 1) - 1, most, most + 1, most * 10]);
  if (random.chance(0.4)) return [item(), badValue(context, schema.items ?? {})];
  const one = item();
  return Array.from({ length: Math.min(Math.max(0, length), 20_000) }, () =>
    random.chance(0.5) ? one : item(),
  );
}
