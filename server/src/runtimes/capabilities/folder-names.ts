/** Paths of capabilities in a sandbox: `/capabilities/<name>`, or `/capabilities/<owner>/<name>`. */

export const CAPABILITIES = '/capabilities';

/** File that describes all capabilities to programs in the sandbox. */
const BINDINGS_FILE = 'bindings.json';

export const folderOf = (capabilityName: string) => `${CAPABILITIES}/${capabilityName}`;

/**
 * Two capabilities may conflict: `acme` of the own organization and `acme/tool` of the organization `acme`; or two capabilities published
 * as `acme/tool` by organizations that had this key one after the other.
 * @returns the reason; undefined if there is no conflict
 */
export function findFolderConflict(name: string, others: readonly string[]): string | undefined {
  if (name === BINDINGS_FILE) {
    return `A capability that is called "${BINDINGS_FILE}" cannot be installed: ${CAPABILITIES}/${BINDINGS_FILE} is a file.`;
  }
  const other = others.find(
    (each) => each === name || each.startsWith(`${name}/`) || name.startsWith(`${each}/`),
  );
  if (other === undefined) return undefined;
  return `"${name}" cannot be installed beside "${other}": ${folderOf(name)} and ${folderOf(other)} cannot both be folders of capabilities. Remove that one first.`;
}
