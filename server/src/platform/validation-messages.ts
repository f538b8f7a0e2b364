/**
 * Replaces the validator's messages with our own words for every mistake that a schema finds. Importing this module sets it up, so
 * each module that parses schemas must import it.
 */
import { z } from 'zod';
import { findMeantName } from './near-names.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  tuple: 'a list',
  null: 'null',
  nan: 'not a number',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  url: 'must be a URL such as https://example.com/path',
  guid: 'must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057',
  uuid: 'must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057',
  datetime: 'must be a date-time such as 2026-01-31T12:00:00Z',
  date: 'must be a date such as 2026-01-31',
  base64: 'must be base64',
  json_string: 'must be JSON',
};

/** A message lists at most this many values. */
const MAX_LISTED = 20;

export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, issue.input);
    case 'invalid_value':
      return describeValues(issue.values, issue.input);
    case 'too_big':
      return `must ${describeSize(issue.origin, issue.maximum, issue.inclusive ? 'at most' : 'less than')}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${describeSize(issue.origin, issue.minimum, issue.inclusive ? 'at least' : 'more than')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? `must match the pattern ${issue.pattern ?? issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map(quote).join(', ')}`;
    case 'invalid_union':
      return describeUnion(issue);
    case 'invalid_key':
      return 'is not a name that can be used here';
    default:
      return 'is not valid';
  }
}

z.config({ customError: describeIssue });

function describeType(expected: string, input: unknown): string {
  const wanted = TYPES[expected] ?? expected;
  const isFraction = expected === 'int' && typeof input === 'number';
  return isFraction ? `must be ${wanted}` : `must be ${wanted}, not ${typeName(input)}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return 'a number';
  if (typeof value === 'string') return 'a string';
  if (typeof value === 'boolean') return String(value);
  return 'an object';
}

function describeValues(values: readonly unknown[], input: unknown): string {
  const listed = values.slice(0, MAX_LISTED).map(quote).join(', ');
  const more = values.length > MAX_LISTED ? ` and ${values.length - MAX_LISTED} more` : '';
  const texts = values.filter((value) => typeof value === 'string');
  const meant = typeof input === 'string' ? findMeantName(input, texts) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
  return values.length === 1 ? `must be ${listed}${hint}` : `must be one of ${listed}${more}${hint}`;
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  record: ['entry', 'entries'],
};

function describeSize(origin: string, bound: number | bigint, comparison: string): string {
  const [one, many] = UNITS[origin] ?? [];
  const unit = Number(bound) === 1 ? one : many;
  return unit === undefined ? `be ${comparison} ${bound}` : `have ${comparison} ${bound} ${unit}`;
}

/** Describes a value that matches no option of a union: lists the types and values that the options accept. */
function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { discriminator, input, errors } = issue;
  if (discriminator !== undefined) {
    const options = 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
    return describeValues(options, (input as Record<string, unknown>)[discriminator]);
  }
  const first = errors.flatMap((issues) => issues[0] ?? []).filter(({ path }) => path.length === 0);
  const types = first.flatMap((one) =>
    one.code === 'invalid_type' ? (TYPES[one.expected] ?? one.expected) : [],
  );
  const values = first.flatMap((one) => (one.code === 'invalid_value' ? one.values.map(quote) : []));
  const forms = [...new Set([...values, ...types])];
  if (forms.length === 0) return 'has none of the forms that can be used here';
  return `must be ${forms.join(' or ')}, not ${typeName(input)}`;
}

const quote = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));
