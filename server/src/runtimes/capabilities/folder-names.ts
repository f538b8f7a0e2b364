/** Where capabilities are seen in a sandbox: `/capabilities/<name>`, or `/capabilities/<owner>/<name>`. */

export const CAPABILITIES = '/capabilities';

/** What programs inside are told of all of them. */
const BINDINGS_FILE = 'bindings.json';

export const folderOf = (capabilityName: string) => `${CAPABILITIES}/${capabilityName}`;

/**
 * Two of them may not be had together: `acme` of one's own, and `acme/tool` of the organization `acme`; or two that were published as
 * `acme/tool` by organizations that had this key one after the other.
 *
 * @returns why not; undefined where nothing is in the way
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
