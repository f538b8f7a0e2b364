/** Validates all parts of a request together, so that one response reports every mistake. */
import type { z } from 'zod';
import { type Issue, invalidValues } from '../../errors.ts';
import '../../validation-messages.ts';

export interface PartSchemas {
  readonly path?: z.ZodType | undefined;
  readonly query?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  readonly header?: z.ZodType | undefined;
}

type Part = keyof PartSchemas;

interface ValidateOptions {
  /** The body is forwarded, so it may contain what the database cannot store. */
  readonly isVerbatim?: boolean | undefined;
  /** Issues found before. */
  readonly found?: readonly Issue[];
}

export function validate(
  schemas: PartSchemas,
  given: Partial<Record<Part, unknown>>,
  { isVerbatim = false, found = [] }: ValidateOptions = {},
): Record<Part, unknown> {
  const issues: Issue[] = [...found];
  const parse = (part: Part) => {
    const result = schemas[part]?.safeParse(given[part], { reportInput: true });
    if (!result) return undefined;
    if (!result.success) collectIssues(part, result.error.issues, issues);
    else if (part === 'body' && isVerbatim) return result.data;
    else if (hasUnstorable(result.data)) collectUnstorable(result.data, [part], issues);
    return result.data;
  };
  const parsed = { path: parse('path'), query: parse('query'), body: parse('body'), header: parse('header') };
  if (issues.length > 0) throw invalidValues(issues);
  return parsed;
}

function collectIssues(part: Part, found: readonly z.core.$ZodIssue[], issues: Issue[]): void {
  const places = new Set<string>();
  for (const issue of found.flatMap(insideOfUnion)) {
    const loc = [part, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
    // A value that breaks two rules counts as one mistake.
    const place = JSON.stringify(loc);
    if (places.has(place)) continue;
    places.add(place);
    const isMissing = issue.input === undefined;
    const { msg, type } = isMissing
      ? { msg: 'is required', type: 'missing' }
      : { msg: messageOf(issue), type: issue.code };
    issues.push({ loc, msg, type });
  }
}

/** The issue of an invalid record key contains the actual reason in a nested issue. */
function messageOf(issue: z.core.$ZodIssue): string {
  return (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
}

/** Returns the issues of the alternative that was meant; a value that matches none of them is one mistake. */
function insideOfUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const [meant, ...others] = issue.errors.filter((errors) => errors.every(({ path }) => path.length > 0));
  if (!meant || others.length > 0) return [issue];
  return meant.flatMap((inner) => insideOfUnion({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Quick check whether a location has to be built at all, which would be expensive for every value of every request. */
function hasUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return unstorable(value) !== undefined;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasUnstorable);
  for (const key in value) {
    if (unstorable(key) || hasUnstorable((value as Record<string, unknown>)[key])) return true;
  }
  return false;
}

/** PostgreSQL cannot store NUL, and a lone surrogate is not valid text. */
function collectUnstorable(value: unknown, loc: (string | number)[], issues: Issue[]): void {
  if (typeof value === 'string') {
    const msg = unstorable(value);
    if (msg) issues.push({ loc, msg, type: 'invalid_string' });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collectUnstorable(item, [...loc, index], issues);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const place = [...loc, key];
      const msg = unstorable(key);
      if (msg) issues.push({ loc: place.map(wellFormed), msg, type: 'invalid_string' });
      else collectUnstorable(item, place, issues);
    }
  }
}

function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL character';
  if (!text.isWellFormed()) return 'must not hold a lone surrogate';
  return undefined;
}

const wellFormed = (step: string | number) => (typeof step === 'string' ? step.toWellFormed() : step);
