/** Paths below /workspace, as the API has them: without a slash at either end, and empty for /workspace itself. */

export const joinPath = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export interface Crumb {
  readonly label: string;
  readonly path: string;
}

/** The folders from /workspace to this one. */
export function toCrumbs(folder: string): readonly Crumb[] {
  const parts = folder === '' ? [] : folder.split('/');
  return [
    { label: 'workspace', path: '' },
    ...parts.map((label, index) => ({ label, path: parts.slice(0, index + 1).join('/') })),
  ];
}

/** @returns what is wrong with the name of a new file or folder */
export function findNameMistake(name: string, taken: readonly string[]): string | undefined {
  if (name.trim() === '') return 'Enter a name.';
  if (name.includes('/')) return 'A name cannot contain a slash. Open the folder first.';
  if (name === '.' || name === '..') return `“${name}” is not a name. Enter another one.`;
  return taken.includes(name) ? `“${name}” exists here already. Enter another name.` : undefined;
}
