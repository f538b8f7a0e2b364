/** References to artifacts: `name` or `name@version`, optionally preceded by the key of an organization. */
import { z } from 'zod';
import { slugPattern } from '../platform/fields.ts';
import { isVersion } from './version.ts';

const namePattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export const ArtifactName = z
  .string()
  .regex(
    namePattern,
    'must be 1 to 63 lower-case letters, digits, dots, underscores or dashes, starting with a letter or digit',
  );

export interface ArtifactPlace {
  /** Key of the organization; undefined if the reference names none. */
  readonly owner: string | undefined;
  readonly name: string;
}

export interface Reference extends ArtifactPlace {
  /** Undefined for the newest release. */
  readonly version: string | undefined;
}

/** Parses `name` or `org/name`; undefined if it is invalid. */
export function parsePlace(text: string): ArtifactPlace | undefined {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0) return undefined;
  const owner = second === undefined ? undefined : first;
  const name = second ?? first;
  if (!namePattern.test(name) || (owner !== undefined && !slugPattern.test(owner))) return undefined;
  return { owner, name };
}

/** Parses `name`, `name@version`, `org/name` or `org/name@version`; undefined if it is invalid. */
export function parseReference(text: string): Reference | undefined {
  const at = text.indexOf('@');
  const place = parsePlace(at < 0 ? text : text.slice(0, at));
  const version = at < 0 ? undefined : text.slice(at + 1);
  if (!place || (version !== undefined && !isVersion(version))) return undefined;
  return { ...place, version };
}
