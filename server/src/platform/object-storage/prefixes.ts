/** Prefixes of objects. Objects written by users and those written by the server never share a prefix. */

/** Prefix of everything that users write. */
export const EVERYONES_PREFIX = 'orgs/';

/** Prefix of the content of artifacts. */
export const REGISTRY_PREFIX = 'registry/';

/** Prefix of export files. */
export const EXPORTS_PREFIX = 'exports/';

/** Prefix of checkpoints of training jobs. */
export const TRAINING_PREFIX = 'training/';

/**
 * Implements the rule of `owner_of_object` in migration 0025, for the check while a body arrives.
 * @returns the organization whose object quota includes the object; artifacts are counted by their blobs
 */
export function objectOwner(key: string): string | undefined {
  const [prefix = '', owner] = key.split('/', 2);
  return [EVERYONES_PREFIX, EXPORTS_PREFIX, TRAINING_PREFIX].includes(`${prefix}/`) ? owner : undefined;
}

/** Prefix of everything that credentials of a workspace can access. */
export function workspacePrefix(organizationId: string, workspaceId: string): string {
  return `${EVERYONES_PREFIX}${organizationId}/workspaces/${workspaceId}/`;
}
