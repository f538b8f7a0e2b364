/** Generates a value that a JSON Schema allows: deterministic for the same schema and text. */
import { fieldOf } from './conversation.ts';
import { MAX_OUTPUT_CHARACTERS } from './tokens.ts';

const MAX_DEPTH = 32;
/** Maximum number of values, since references can make a small schema expand without end. */
const MAX_VALUES = 2_000;
const MAX_TEXT = 1_000;
/** Longer references cannot be valid. */
const MAX_REFERENCE = 1_000;

const FORMATS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    'date-time': '2026-01-01T00:00:00Z',
    date: '2026-01-01',
    time: '00:00:00Z',
    duration: 'PT1S',
    email: 'simulated@example.com',
    hostname: 'example.com',
    uri: 'https://example.com/',
    uuid: '00000000-0000-4000-8000-000000000000',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
  }),
);

/** @param text content of strings, where allowed */
export function sampleOf(schema: unknown, text: string): unknown {
  let count = 0;
  let room = MAX_OUTPUT_CHARACTERS;
  /**
   * Counts values, since a schema may repeat itself thousands of times by reference.
   * @returns whether the limit allows more
   */
  const spend = (length: number) => {
    room -= length;
    return room >= 0;
  };
  const sample = (schema: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH || room < 0 || ++count > MAX_VALUES) return null;
    const target = fieldOf(schema, '$ref');
    if (typeof target === 'string')
      return target.length > MAX_REFERENCE ? null : sample(resolve(target), depth + 1);
    const fixed = [fieldOf(schema, 'const'), firstOf(fieldOf(schema, 'enum'))].find(
      (value) => value !== undefined,
    );
    if (fixed !== undefined) return spend(JSON.stringify(fixed).length) ? fixed : null;
    const [variant] = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => firstOf(fieldOf(schema, word)) ?? []);
    if (variant !== undefined) return sample(variant, depth + 1);
    const type = typeOf(schema);
    if (type === 'object') return objectOf(schema, depth);
    if (type === 'array') return arrayOf(schema, depth);
    return scalarOf(schema, type, text.slice(0, MAX_TEXT));
  };
  const resolve = (target: string): unknown =>
    target
      .split('/')
      .slice(1)
      .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(fieldOf, schema);
  /** Cache: there may be a million of them, with as many references to them. */
  const known = new Map<object, readonly string[]>();
  const namesOf = (properties: object) => {
    const names = known.get(properties) ?? Object.keys(properties).slice(0, MAX_VALUES);
    known.set(properties, names);
    return names;
  };
  const objectOf = (schema: unknown, depth: number): unknown => {
    const properties = fieldOf(schema, 'properties');
    if (typeof properties !== 'object' || properties === null) return {};
    const made: [string, unknown][] = [];
    for (const name of namesOf(properties)) {
      if (count >= MAX_VALUES || !spend(name.length)) break;
      made.push([name, sample(fieldOf(properties, name), depth + 1)]);
    }
    return Object.fromEntries(made);
  };
  const arrayOf = (schema: unknown, depth: number): unknown[] => {
    // One item, so that there is content, unless fewer are allowed or the recursion would not end.
    const wanted = numberOf(schema, 'minItems') ?? (depth < MAX_DEPTH / 4 ? 1 : 0);
    const length = Math.min(wanted, numberOf(schema, 'maxItems') ?? MAX_VALUES, MAX_VALUES);
    const items = fieldOf(schema, 'items') ?? { type: 'string' };
    return Array.from({ length: spend(length) ? length : 0 }, () => sample(items, depth + 1));
  };
  return sample(schema, 0);
}

function typeOf(schema: unknown): unknown {
  const type = fieldOf(schema, 'type');
  if (type !== undefined) return firstOf(type) ?? type;
  if (fieldOf(schema, 'properties') !== undefined) return 'object';
  return fieldOf(schema, 'items') === undefined ? 'object' : 'array';
}

function scalarOf(schema: unknown, type: unknown, text: string): unknown {
  if (type === 'boolean') return true;
  if (type === 'number' || type === 'integer') return numberWithin(schema);
  if (type !== 'string') return null;
  const fixed = FORMATS.get(fieldOf(schema, 'format'));
  if (fixed !== undefined) return fixed;
  const least = Math.min(numberOf(schema, 'minLength') ?? 0, MAX_VALUES);
  return text.slice(0, numberOf(schema, 'maxLength') ?? text.length).padEnd(least, '.');
}

/** Returns the allowed number nearest to zero. */
function numberWithin(schema: unknown): number {
  const above = numberOf(schema, 'exclusiveMinimum');
  const below = numberOf(schema, 'exclusiveMaximum');
  const least = Math.max(
    numberOf(schema, 'minimum') ?? -Infinity,
    above === undefined ? -Infinity : above + 1,
  );
  const most = Math.min(numberOf(schema, 'maximum') ?? Infinity, below === undefined ? Infinity : below - 1);
  return Math.min(Math.max(0, least), most);
}

function numberOf(schema: unknown, name: string): number | undefined {
  const value = fieldOf(schema, name);
  return typeof value === 'number' ? value : undefined;
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);
