/** Paths below /workspace, as given by callers. */
import { invalidValue } from '../../errors.ts';

export const WORKSPACE = '/workspace';
const MAX_PATH_BYTES = 4_000;
const MAX_NAME_BYTES = 255;

/**
 * Returns a normalized path relative to /workspace: no leading slash, no empty segments, no dots; empty for /workspace itself.
 * @param path relative to /workspace, or absolute and below it
 */
export function toWorkspacePath(path: string): string {
  const inside =
    path === WORKSPACE || path.startsWith(`${WORKSPACE}/`) ? path.slice(WORKSPACE.length + 1) : path;
  if (path.startsWith('/') && inside === path) {
    throw invalidPath(
      'Give a path below /workspace, or one relative to it: nothing else can be reached here.',
    );
  }
  const segments = inside.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw invalidPath('Give the path without .. segments.');
  const normal = segments.join('/');
  if (normal.includes('\0') || !normal.isWellFormed())
    throw invalidPath('A path holds no NUL and no half characters.');
  const isTooLong = Buffer.byteLength(normal) > MAX_PATH_BYTES || segments.some(isLongName);
  if (isTooLong) {
    throw invalidPath(
      `A path has at most ${MAX_PATH_BYTES} bytes, and a name in it at most ${MAX_NAME_BYTES}.`,
    );
  }
  return normal;
}

const isLongName = (segment: string) => Buffer.byteLength(segment) > MAX_NAME_BYTES;

export const invalidPath = (msg: string) => invalidValue(['query', 'path'], msg);
