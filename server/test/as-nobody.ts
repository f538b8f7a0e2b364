/**
 * Runs programs of this checkout as an ordinary user when this process is root. A checkout may lie in a folder that is closed to others: it
 * is mounted for the user at another place, in a mount namespace of its own.
 */
import { join, relative } from 'node:path';

export const NOBODY = 65_534;
export const isRoot = process.getuid?.() === 0;

const CHECKOUT = join(import.meta.dirname, '../..');
/** A folder that exists on every Linux and that nothing here needs. */
const SHOWN_AT = '/mnt';
const PARTS = ['node_modules', 'server'];

const SHOW = [
  'set -e',
  `mount -t tmpfs -o mode=755 tmpfs ${SHOWN_AT}`,
  ...PARTS.map((part) => `mkdir ${SHOWN_AT}/${part} && mount --rbind "$0/${part}" ${SHOWN_AT}/${part}`),
  'exec "$@"',
].join('\n');

/** Returns the path at which that user sees a file of this checkout. */
export function seenByNobody(path: string): string {
  const inside = relative(CHECKOUT, path);
  return isRoot && !inside.startsWith('..') ? join(SHOWN_AT, inside) : path;
}

/** Runs Node with these arguments as that user; without root, as the current user. */
export const nodeAsNobody = (...args: string[]) => asNobody([seenByNobody(process.execPath), ...args]);

/** Converts a command so that paths of this checkout are the ones that the user sees. */
export function asNobody(command: readonly string[]): [string, ...string[]] {
  const [program = '', ...args] = command;
  if (!isRoot) return [program, ...args];
  const user = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'];
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', SHOW, CHECKOUT, ...user, ...command];
}
