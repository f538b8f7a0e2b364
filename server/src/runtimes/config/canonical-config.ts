/** A configuration in the one form that its digest is taken of. */
import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../platform/canonical-json.ts';
import type { Limit } from '../../platform/sandbox/sandbox-provider.ts';
import type { RuntimeConfigOf } from './schema.ts';

/** SHA-256, in hex, of its canonical JSON with defaults: what means the same has the same. */
export const configDigest = (config: RuntimeConfigOf) =>
  createHash('sha256').update(toCanonicalJson(config)).digest('hex');

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
