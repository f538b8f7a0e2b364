/** Determines the key and name of a new runtime. The key identifies it for every user of the workspace. */
import { createHash } from 'node:crypto';
import { isUuid, toSlug } from '../../platform/fields.ts';
import type { NewRuntime } from './schema.ts';

export interface Identity {
  readonly key: string;
  readonly name: string;
}

/** @returns undefined if the request gives neither key nor name */
export function findIdentity({ key, name }: Pick<NewRuntime, 'key' | 'name'>): Identity | undefined {
  if (key) return { key, name: name ?? key };
  return name ? { key: keyOf(name), name } : undefined;
}

const DEFAULT_PREFIX = 'default-';

/** Whether only the user of that name may create a runtime with this key. */
export const isReserved = (key: string) => key.startsWith(DEFAULT_PREFIX);

/** Identity of the runtime that a user gets without naming one. */
export const defaultIdentity = (username: string): Identity => ({
  key: DEFAULT_PREFIX + username,
  name: DEFAULT_PREFIX + username,
});

/**
 * Identity for a user whose default key belongs to another user's runtime: that user may have had this name before. With the whole id it is longer
 * than any other default key, since a username has at most 39 characters.
 */
export const secondDefaultIdentity = (username: string, userId: string): Identity =>
  defaultIdentity(`${username}-${userId}`);

/** Derives a key from the name, which may have letters that a slug cannot contain. */
function keyOf(name: string): string {
  const slug = toSlug(name);
  if (slug && !isUuid(slug)) return slug;
  return `runtime-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
