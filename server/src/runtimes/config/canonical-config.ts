/** A configuration in the one form that its digest is taken of. */
import { createHash } from 'node:crypto';
import type { Limit } from '../../platform/sandbox/sandbox-provider.ts';
import type { RuntimeConfigOf } from './schema.ts';

/** SHA-256, in hex, of its canonical JSON with defaults: what means the same has the same. */
export const configDigest = (config: RuntimeConfigOf) =>
  createHash('sha256').update(toCanonicalJson(config)).digest('hex');

/** RFC 8785: no spaces, names in the order of their UTF-16 code units. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${toCanonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

const LIMIT_FIELDS: Readonly<Record<string, Limit>> = { cpu_cores: 'cpu', memory_mb: 'memory' };

/**
 * Which limits were asked for rather than assumed. Defaults are indistinguishable from them in what was checked.
 *
 * @param given a configuration as it was sent, and found to be valid
 */
export function givenLimits(given: unknown): Limit[] {
  const { resources } = (given ?? {}) as { readonly resources?: object };
  return Object.keys(resources ?? {}).flatMap((name) => LIMIT_FIELDS[name] ?? []);
}
