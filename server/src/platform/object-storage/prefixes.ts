/** Where whose objects lie. What users write themselves and what the server keeps for them never share a prefix. */

/** Everything that credentials of a workspace reach. */
export function workspacePrefix(organizationId: string, workspaceId: string): string {
  return `orgs/${organizationId}/workspaces/${workspaceId}/`;
}
