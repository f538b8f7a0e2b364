/** What a new runtime is called: by its key it is found again, whoever asks for it in the workspace. */
import { createHash } from 'node:crypto';
import { isUuid, toSlug } from '../../platform/fields.ts';
import type { NewRuntime } from './schema.ts';

export interface Identity {
  readonly key: string;
  readonly name: string;
}

/** @returns undefined where nothing is said of it */
export function findIdentity({ key, name }: Pick<NewRuntime, 'key' | 'name'>): Identity | undefined {
  if (key) return { key, name: name ?? key };
  return name ? { key: keyOf(name), name } : undefined;
}

/** Of the one that everybody has without a name. */
export const defaultIdentity = (username: string): Identity => ({
  key: `default-${username}`,
  name: `default-${username}`,
});

/** A name may be of letters that no slug has. */
function keyOf(name: string): string {
  const slug = toSlug(name);
  if (slug && !isUuid(slug)) return slug;
  return `runtime-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}
