/**
 * What a disk has of capabilities: two volumes that are read-only in its sandboxes, links as /capabilities and versions where the links
 * lead. They are changed by containers of ours, which see nothing else of a sandbox: files come into a folder that nobody else may
 * enter, appear as a version by one rename, and are seen when a link to all of them is in place.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { ApiError } from '../../http/errors.ts';
import type { CapabilityFolder } from '../sandbox-provider.ts';
import { toArchive } from './capability-archive.ts';
import { toShelfMounts } from './container-plan.ts';
import type { Engine } from './engine.ts';
import type { LivingContainer } from './living-container.ts';
import { type Ownership, SHELF_FOLDERS } from './ownership.ts';
import { runHelper } from './sandbox-image.ts';

const TIMEOUT_MS = 300_000;
const { capabilities: LINKS, versions: VERSIONS } = SHELF_FOLDERS;
/** Below the versions, for what is to be renamed to be one. */
const STAGING = 'staging';
const NAME = /^[A-Za-z0-9][\w.-]*$/;

export interface CapabilityPlace {
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly image: string;
  readonly sandbox: LivingContainer;
  /** Of the sandbox's end. */
  readonly signal: AbortSignal;
}

/**
 * `$1` names what is then there, `$2` the folder of what came, `$3` the sandbox; then a path and a digest for each. New links first,
 * then what programs read, then what goes. Versions stay for who is working with them; those that the first change for another
 * sandbox finds without a link go then.
 */
const SWAP = `
set -e
umask 022
staging=${VERSIONS}/${STAGING}
state=$staging/$1 coming=$staging/$2 sandbox=$3
shift 3
cd ${LINKS}
# Of a change that broke off: it is in none of the names below.
rm -f .draft "$staging"/state-*
for folder in "$staging"/coming-*; do [ "$folder" = "$coming" ] || rm -rf "$folder"; done
if [ "$(cat "$staging/sandbox" 2>/dev/null)" != "$sandbox" ]; then
  kept=" ${STAGING} $* "
  for entry in * */*; do
    [ ! -L "$entry" ] || { target=$(readlink "$entry"); kept="$kept\${target##*/} "; }
  done
  for version in ${VERSIONS}/*; do
    case $kept in *" \${version##*/} "*) ;; *) rm -rf "$version" ;; esac
  done
  echo "$sandbox" >"$staging/sandbox"
fi
# It is there as long as the disk: also when the machine fails a moment later.
find "$coming/store" -type f -exec sync -- {} +
for folder in "$coming"/store/*; do
  [ -d "$folder" ] || continue
  [ -e "${VERSIONS}/\${folder##*/}" ] || mv -T "$folder" "${VERSIONS}/\${folder##*/}"
done
paths=' ' is_path=yes
for word in "$@"; do
  if [ $is_path ]; then paths="$paths$word " is_path=; else is_path=yes; fi
done
# What lies where an owner of others is to be, or the other way round, cannot stay until all is in place.
for entry in * */*; do
  [ -L "$entry" ] || continue
  case $paths in *" $entry "*) continue ;; esac
  case $entry in */*) owner=\${entry%%/*} ;; *) owner=/ ;; esac
  case $paths in *" $entry/"* | *" $owner "*) rm "$entry" ;; esac
done
while [ $# -gt 0 ]; do
  target=${VERSIONS}/$2
  case $1 in */*) mkdir -p "\${1%%/*}" ;; esac
  [ -L "$1" ] || [ ! -d "$1" ] || rmdir "$1"
  if [ "$(readlink "$1" || :)" != "$target" ]; then
    ln -s "$target" .draft
    mv -T .draft "$1"
  fi
  shift 2
done
cat "$coming/bindings.json" >.draft
chmod 444 .draft
mv -T .draft bindings.json
for entry in * */*; do
  [ -L "$entry" ] || continue
  case $paths in *" $entry "*) ;; *) rm "$entry" ;; esac
done
for folder in */; do rmdir "$folder" 2>/dev/null || :; done
rm -rf "$coming"
: >"$state"
`;

export async function showCapabilities(
  place: CapabilityPlace,
  folders: readonly CapabilityFolder[],
  bindings: string,
): Promise<void> {
  checkNames(folders);
  const state = toState(folders, bindings);
  if (await isThere(place, `${STAGING}/${state}`)) return;
  const stored = await Promise.all(folders.map(({ digest }) => isThere(place, digest)));
  const digests = new Set<string>();
  const missing = folders.filter(({ digest }, index) => {
    if (stored[index] || digests.has(digest)) return false;
    digests.add(digest);
    return true;
  });
  place.signal.throwIfAborted();
  const { code, text } = await swap(place, state, folders, missing, bindings).catch((error: unknown) => {
    place.signal.throwIfAborted();
    throw error;
  });
  if (code === 0) return;
  const detail = `The capabilities could not be put in place: ${text.trim().slice(-300)}`;
  throw new ApiError('sandbox_provider_error', detail);
}

function swap(
  { engine, ownership, image, sandbox, signal }: CapabilityPlace,
  state: string,
  folders: readonly CapabilityFolder[],
  missing: readonly CapabilityFolder[],
  bindings: string,
) {
  const coming = `coming-${randomBytes(8).toString('hex')}`;
  const shown = folders.flatMap(({ path, digest }) => [path, digest]);
  const bring = (container: Docker.Container) =>
    engine.call((_docker, late) => {
      const parts = toArchive({ staging: STAGING, coming, folders: missing, bindings }, signal);
      const archive = Readable.from(parts, { objectMode: false });
      return container.putArchive(archive, { path: VERSIONS, abortSignal: AbortSignal.any([late, signal]) });
    }, TIMEOUT_MS);
  return runHelper(
    engine,
    ownership,
    {
      Image: image,
      Entrypoint: ['sh', '-c'],
      Cmd: [SWAP, 'sh', state, coming, sandbox.id, ...shown],
      HostConfig: { Mounts: toShelfMounts(ownership, sandbox.diskId, false) },
    },
    { timeoutMs: TIMEOUT_MS, before: bring },
  );
}

/** A capability and an owner of others may have one name; then there is no place for both. */
function checkNames(folders: readonly CapabilityFolder[]): void {
  const paths = new Set(folders.map(({ path }) => path));
  for (const { path, digest } of folders) {
    const names = path.split('/');
    const areNames = names.length <= 2 && [...names, digest].every((name) => NAME.test(name));
    if (!areNames || path === 'bindings.json' || digest === STAGING)
      throw new ApiError('sandbox_provider_error', `${path} is no place for a capability.`);
    const owner = names[0] ?? '';
    if (names.length > 1 && paths.has(owner)) {
      const detail = `The capabilities ${owner} and ${path} cannot be shown together: one would lie in the other. Remove one of them.`;
      throw new ApiError('conflict_error', detail);
    }
  }
}

function toState(folders: readonly CapabilityFolder[], bindings: string): string {
  const all = folders.map(({ path, digest }) => `${path} ${digest}`).toSorted();
  const text = JSON.stringify([all, bindings]);
  return `state-${createHash('sha256').update(text).digest('hex')}`;
}

/** Asked of the engine: nothing in the sandbox has a say in it. */
async function isThere({ engine, sandbox }: CapabilityPlace, name: string): Promise<boolean> {
  const found = await engine.find((docker, abortSignal) => {
    const path = `${VERSIONS}/${name}`;
    return docker.getContainer(sandbox.container).infoArchive({ path, abortSignal });
  });
  return found !== undefined;
}
