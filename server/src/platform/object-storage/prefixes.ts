/** Where whose objects lie. What users write themselves and what the server keeps for them never share a prefix. */

/** Where all that users write lies. */
export const EVERYONES_PREFIX = 'orgs/';

/** Where the content of artifacts lies. */
export const REGISTRY_PREFIX = 'registry/';

/** Where the files of exports lie. */
export const EXPORTS_PREFIX = 'exports/';

/** Checkpoints of training jobs lie here. */
export const TRAINING_PREFIX = 'training/';

/**
 * The rule of `owner_of_object` in migration 0025, for the check while a body arrives.
 *
 * @returns the organization whose quota of objects an object counts against; artifacts are counted by their blobs
 */
export function objectOwner(key: string): string | undefined {
  const [prefix = '', owner] = key.split('/', 2);
  return [EVERYONES_PREFIX, EXPORTS_PREFIX, TRAINING_PREFIX].includes(`${prefix}/`) ? owner : undefined;
}

/** Everything that credentials of a workspace reach. */
export function workspacePrefix(organizationId: string, workspaceId: string): string {
  return `${EVERYONES_PREFIX}${organizationId}/workspaces/${workspaceId}/`;
}
