/**
 * Creates the data directory, or refuses it with a sentence that says what to do, before anything is written into it. See
 * docs/design/start.md, "The order of a start".
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  type StatsFs,
  statfsSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { DataDirectoryError } from './data-directory-error.ts';

/** Names that Drydock makes in a data directory. */
const OURS =
  /^(?:postgres|postgres\.log(?:\.1)?|secret-key(?:\.next)?(?:\.\d+)?|objects|sandboxes|initialising-\d+(?:\.password)?)$/;
/** Made by the kernel at the root of a file system, such as a volume of a container. */
const LOST_AND_FOUND = 'lost+found';
/** Every server makes at least one of these, and no other program does. */
const MARKS = ['secret-key', 'postgres/drydock-password', 'sandboxes/host.json'];
/** PostgreSQL writes its log in segments of 16 MiB, and a start needs one or two of them. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;
const CHOOSE = 'Set DRYDOCK_DATA_DIR to another folder';

/** Creates the folder if there is none, and refuses one that cannot or must not be used. */
export function openDataDirectory(dataDir: string): void {
  const isNew = !existsSync(dataDir);
  makeFolder(dataDir);
  // PostgreSQL and sandboxes run as other accounts when Drydock is root: these must be able to traverse the folder.
  if (isNew) chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700);
  requireAccess(dataDir);
  const names = readdirSync(dataDir);
  const foreign = foreignNames(names);
  if (foreign.length > 0 && !isDataDirectory(dataDir)) {
    throw new DataDirectoryError(
      `${dataDir} holds files that are not Drydock's, such as ${foreign[0]}. ${CHOOSE}: one that is empty or does not exist.`,
    );
  }
  refuseForeignDatabase(dataDir);
  refuseFull(dataDir, statfsSync(dataDir));
}

/** Refuses a folder that this user may not read or write. */
export function requireAccess(dataDir: string): void {
  const { uid } = statSync(dataDir);
  // Suggests a change of owner only for Drydock's own folder, not for one such as /var/lib.
  if (uid !== process.getuid?.() && isDataDirectory(dataDir) && !canUse(dataDir))
    throw belongsToOther({ path: dataDir, uid }, dataDir);
  attempt(dataDir, () => accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK));
}

/** Whether a server has used the folder before. */
export const isDataDirectory = (dataDir: string) => MARKS.some((mark) => existsSync(join(dataDir, mark)));

/** Returns the names in a data directory that Drydock has not created. */
export function foreignNames(names: readonly string[]): string[] {
  return names.filter((name) => !OURS.test(name) && name !== LOST_AND_FOUND).toSorted();
}

/** Creates folders one by one: with `recursive`, Node loops for ever if the parent exists but accepts no folders, as in /proc. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return;
    throw new DataDirectoryError(`${path} is a file. ${CHOOSE}.`);
  }
  if (parent !== path) makeFolder(parent);
  attempt(path, () => {
    try {
      mkdirSync(path);
    } catch (error) {
      // Another process that starts at the same time has created it first.
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
    }
  });
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const explained = explainFileError(error, path);
    if (explained === undefined) throw error;
    throw new DataDirectoryError(`${explained} ${CHOOSE}, or change this one.`, { cause: error });
  }
}

/** Returns a sentence for errors of a file system; undefined for other errors. */
export function explainFileError(error: unknown, at?: string): string | undefined {
  const { code, path = at } = error as NodeJS.ErrnoException;
  if (path === undefined) return undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return `${ownName()} has no permission for ${path} (${code}).`;
    case 'EROFS':
      return `${path} is on a read-only file system (${code}).`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `No space is left on the file system of ${path} (${code}). Free some space and start again.`;
    case 'ENOENT':
      return at === undefined ? undefined : `${path} cannot be made: no folder can be made there (${code}).`;
    case 'EEXIST':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return at === undefined ? undefined : `${path} cannot be a folder (${code}).`;
    default:
      return undefined;
  }
}

function refuseForeignDatabase(dataDir: string): void {
  const pgdata = join(dataDir, 'postgres');
  if (!existsSync(pgdata)) return;
  // A folder of another account cannot be read; its owner is checked separately.
  const names = attempt(pgdata, () => (canRead(pgdata) ? readdirSync(pgdata) : undefined));
  if (names === undefined || (names.includes('PG_VERSION') && names.includes('drydock-password'))) return;
  throw new DataDirectoryError(
    `${pgdata} is not a database that Drydock made. ${CHOOSE}, or move that folder away.`,
  );
}

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function refuseFull(dataDir: string, { bavail, bsize }: Pick<StatsFs, 'bavail' | 'bsize'>): void {
  const free = bavail * bsize;
  if (free >= MIN_FREE_BYTES) return;
  throw new DataDirectoryError(
    `No space is left on the file system of ${dataDir}: ${Math.floor(free / 2 ** 20)} MiB are free, and Drydock needs ` +
      `${MIN_FREE_BYTES / 2 ** 20} MiB to start. Free some space, or run "npm run reset" to remove all data.`,
  );
}

/**
 * Refuses data that another user created: a user cannot use all of root's files, and files that root adds to a user's data would lock that
 * user out.
 */
export function requireOwnData(dataDir: string): void {
  const uid = process.getuid?.() ?? 0;
  const other = findPathOfOther(dataDir, uid);
  if (!other) return;
  if (uid === 0) {
    const named = findName(other.uid);
    const owner = named ?? `user ${other.uid}`;
    throw new DataDirectoryError(
      `${other.path} belongs to ${owner}, and files that root adds would lock ${owner} out. ` +
        `Start Drydock as that user: sudo -u ${named ?? `'#${other.uid}'`} npm run up`,
    );
  }
  throw belongsToOther(other, dataDir);
}

function belongsToOther({ path, uid }: OwnedPath, dataDir: string): DataDirectoryError {
  const me = ownName();
  return new DataDirectoryError(
    `${path} belongs to ${findName(uid) ?? `user ${uid}`}, so ${me} cannot use it. ` +
      `Give the data directory to ${me}: sudo chown -R ${me} ${quote(dataDir)}`,
  );
}

interface OwnedPath {
  readonly path: string;
  readonly uid: number;
}

/** Data of root has several owners: the database and each sandbox have accounts of their own. */
const MADE_AS_ROOT = ['secret-key', 'objects', 'sandboxes', 'sandboxes/host.json'];

/** Finds a path that another user owns. It checks two levels: deeper files have the same owners. */
function findPathOfOther(dataDir: string, uid: number): OwnedPath | undefined {
  if (uid === 0) {
    const found = MADE_AS_ROOT.map((name) => findOwner(join(dataDir, name)));
    return found.find((entry) => entry && entry.uid !== 0);
  }
  const top = readdirSync(dataDir).filter((name) => OURS.test(name));
  const sandboxes = join(dataDir, 'sandboxes');
  const inSandboxes = canRead(sandboxes) ? readdirSync(sandboxes).map((name) => join('sandboxes', name)) : [];
  return [...top, ...inSandboxes]
    .map((name) => findOwner(join(dataDir, name)))
    .find((found) => found && found.uid !== uid && !canUse(found.path));
}

function findOwner(path: string): OwnedPath | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found && { path, uid: found.uid };
}

/** PostgreSQL accepts no folder of another account; for the rest, permissions decide. */
function canUse(path: string): boolean {
  if (path.endsWith('/postgres')) return false;
  try {
    const isFolder = lstatSync(path).isDirectory();
    accessSync(path, constants.R_OK | constants.W_OK | (isFolder ? constants.X_OK : 0));
    return true;
  } catch {
    return false;
  }
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.()); // an account without a name, as in a container
  }
}

function findName(uid: number): string | undefined {
  const line = new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm');
  return existsSync('/etc/passwd') ? line.exec(readFileSync('/etc/passwd', 'utf8'))?.[1] : undefined;
}

const quote = (path: string) => (/^[\w./+@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
