/** Validates the paths of files that belong together, as in an artifact: each path, and that no two of them conflict. */

const MAX_PATH_BYTES = 1_024;
const MAX_SEGMENT_BYTES = 255;
const MAX_SEGMENTS = 32;

/** @returns the problem of the path; undefined if it is valid */
export function findPathProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (/\p{Cc}/u.test(path)) return 'must not hold control characters';
  if (!path.isWellFormed()) return 'must not hold a lone surrogate';
  if (path.includes('\\')) return 'must not hold backslashes; folders are separated by "/"';
  if (path.startsWith('/')) return 'must be relative, without a leading "/"';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `must not be longer than ${MAX_PATH_BYTES} bytes`;
  const segments = path.split('/');
  if (segments.length > MAX_SEGMENTS) return `must not lie deeper than ${MAX_SEGMENTS - 1} folders`;
  for (const segment of segments) {
    if (segment === '..') return 'must not lead out of the bundle with ".."';
    if (segment === '' || segment === '.') return 'must not hold empty or "." segments';
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `must not hold a name longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}

type Folder = Map<string, Folder | 'file'>;

/** The files and folders of one artifact. */
export class FileTree {
  readonly #root: Folder = new Map();
  /** The paths in one normal form of Unicode: some file systems know no other. */
  readonly #composed = new Set<string>();

  /** @returns why the file cannot be added; undefined when it was added */
  addFile(path: string): string | undefined {
    const folder = this.#makeFolder(parentOf(path));
    if (typeof folder === 'string') return folder;
    const name = path.slice(path.lastIndexOf('/') + 1);
    const there = folder.get(name);
    if (there) return there === 'file' ? 'is there twice' : 'is a file and a folder at once';
    const composed = path.normalize();
    if (this.#composed.has(composed)) return 'is there twice, in two forms of Unicode that mean the same';
    this.#composed.add(composed);
    folder.set(name, 'file');
    return undefined;
  }

  addFolder(path: string): string | undefined {
    const folder = this.#makeFolder(path);
    return typeof folder === 'string' ? folder : undefined;
  }

  /** Whether the path is a file or a folder. */
  has(path: string): boolean {
    let here: Folder | 'file' | undefined = this.#root;
    for (const name of path.split('/')) {
      if (here === 'file') return false;
      here = here?.get(name);
    }
    return here !== undefined;
  }

  /**
   * Walks from the root, so that each name is looked up once.
   * @returns the folder, or why it cannot be one
   */
  #makeFolder(path: string): Folder | string {
    let folder = this.#root;
    if (path === '') return folder;
    const names = path.split('/');
    for (const [index, name] of names.entries()) {
      const there = folder.get(name);
      if (there === 'file') return `lies in "${names.slice(0, index + 1).join('/')}", which is a file`;
      const next: Folder = there ?? new Map();
      if (!there) folder.set(name, next);
      folder = next;
    }
    return folder;
  }
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
