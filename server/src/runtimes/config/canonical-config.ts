/** A configuration as given, and in the canonical form from which its digest is computed. */
import { createHash } from 'node:crypto';
import { toCanonicalJson } from '../../platform/canonical-json.ts';
import { invalidValue } from '../../platform/errors.ts';
import type { Limit } from '../../platform/sandbox/sandbox-provider.ts';
import { RuntimeConfig, type RuntimeConfigOf, type RuntimeConfigReplacement } from '../config-schema.ts';

/** Hexadecimal SHA-256 of the canonical JSON with defaults: equivalent configurations have the same digest. */
export const configDigest = (config: RuntimeConfigOf) =>
  createHash('sha256').update(toCanonicalJson(config)).digest('hex');

const LIMIT_FIELDS: Readonly<Record<string, Limit>> = { cpu_cores: 'cpu', memory_mb: 'memory' };

const CONFIG_KEYS = Object.keys(RuntimeConfig.shape);

export interface GivenConfig {
  readonly config: RuntimeConfigOf;
  readonly limits: readonly Limit[];
  /** Location of the configuration in its request. */
  readonly loc: readonly string[];
  /** Whether it came as the document `config`: a client has read the stored one with its defaults, edited it and sent it back. */
  readonly isEdited: boolean;
  /** Locations in the request that were ignored. */
  readonly ignored: readonly (readonly string[])[];
}

/**
 * Reads a configuration from its own fields or from the document `config`. A request without a known field is refused, because it would
 * reset the whole configuration and is probably misspelled.
 * @param raw the request as it was sent
 * @throws {ApiError} `validation_error` when no known key is given
 */
export function readReplacement(request: RuntimeConfigReplacement, raw: unknown): GivenConfig {
  const { config: document, ...config } = request;
  const sent = raw as { readonly config?: unknown };
  if (namesPart(sent)) {
    const ignored = document ? [['body', 'config']] : [];
    return { config, limits: givenLimits(sent), loc: ['body'], isEdited: false, ignored };
  }
  const loc = document ? ['body', 'config'] : ['body'];
  if (document && namesPart(sent.config))
    return { config: document, limits: givenLimits(sent.config), loc, isEdited: true, ignored: [] };
  const hint = document ? '' : ', or "config" with an object of them';
  throw invalidValue(
    loc,
    `names no part of a configuration; the known keys are ${CONFIG_KEYS.join(', ')}${hint}`,
  );
}

const namesPart = (sent: unknown) => CONFIG_KEYS.some((key) => Object.hasOwn(sent as object, key));

/** Finds the limits that an edited document requests. It repeats all defaults, so a limit counts if it was given before or differs. */
export function changedLimits(
  { config, limits }: GivenConfig,
  before: { readonly config: RuntimeConfigOf; readonly given_limits: readonly string[] },
): Limit[] {
  const fieldOf = (limit: Limit) => (limit === 'cpu' ? 'cpu_cores' : 'memory_mb');
  return limits.filter(
    (limit) =>
      before.given_limits.includes(limit) ||
      before.config.resources[fieldOf(limit)] !== config.resources[fieldOf(limit)],
  );
}

/**
 * Finds the limits that were given explicitly. A validated configuration does not show which values are defaults.
 * @param given a valid configuration as it was sent
 */
export function givenLimits(given: unknown): Limit[] {
  const { resources } = (given ?? {}) as { readonly resources?: object };
  return Object.keys(resources ?? {}).flatMap((name) => LIMIT_FIELDS[name] ?? []);
}
