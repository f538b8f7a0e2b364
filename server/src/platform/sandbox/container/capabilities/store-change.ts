/**
 * Changes the capabilities of a disk, whatever the storage. Files arrive in a folder among the versions that no other user may enter,
 * become a version by one rename, and become visible when a link to all of them is in place.
 */
import { randomBytes } from 'node:crypto';
import type { CapabilityFolder } from '../../sandbox-provider.ts';
import { CAPABILITY_FOLDERS } from '../ownership.ts';

/** Inside the versions folder, so that a rename stays on one file system. */
export const STAGING = 'staging';

export interface StoreChange {
  /** Digest of the resulting state. */
  readonly state: string;
  readonly sandboxId: string;
  readonly folders: readonly CapabilityFolder[];
  /** Versions that have to be uploaded. */
  readonly missing: readonly CapabilityFolder[];
  readonly bindings: string;
  /** Aborts when the sandbox ends. */
  readonly signal: AbortSignal;
}

export interface CapabilityStore {
  /** @param name below the versions */
  isThere(name: string): Promise<boolean>;
  /** @returns the exit code and output */
  change(change: StoreChange): Promise<{ readonly code: number; readonly text: string }>;
}

/** Creates a name for an upload below the staging folder. */
export const newUploadName = () => `coming-${randomBytes(8).toString('hex')}`;

/** Builds the `sh` command that runs when `store`, with a folder for each version, and `bindings.json` are uploaded. */
export function toSwap(links: string, versions: string, upload: string, change: StoreChange): string[] {
  const shown = change.folders.flatMap(({ path, digest }) => [path, digest]);
  return ['-c', SWAP, 'sh', links, versions, change.state, upload, change.sandboxId, ...shown];
}

/**
 * Script with `$1` and `$2` the folders of links and versions, `$3` the digest of the new state, `$4` the uploaded folder, `$5` the
 * sandbox; then a path and a digest for each capability. Creates new links first, then the file that programs read, then removes old links.
 * Old versions stay for commands that use them; versions without a link are removed by the first change for another sandbox.
 */
const SWAP = `
set -e
umask 022
links=$1 versions=$2 staging=$2/${STAGING}
state=$staging/$3 coming=$staging/$4 sandbox=$5
shift 5
cd "$links"
# Of a change that broke off: it is in none of the names below.
rm -f .draft "$staging"/state-*
for folder in "$staging"/coming-*; do [ "$folder" = "$coming" ] || rm -rf "$folder"; done
if [ "$(cat "$staging/sandbox" 2>/dev/null)" != "$sandbox" ]; then
  kept=" ${STAGING} $* "
  for entry in * */*; do
    [ ! -L "$entry" ] || { target=$(readlink "$entry"); kept="$kept\${target##*/} "; }
  done
  for version in "$versions"/*; do
    case $kept in *" \${version##*/} "*) ;; *) rm -rf "$version" ;; esac
  done
  echo "$sandbox" >"$staging/sandbox"
fi
# It is there as long as the disk: also when the machine fails a moment later.
find "$coming/store" -type f -exec sync -- {} +
for folder in "$coming"/store/*; do
  [ -d "$folder" ] || continue
  [ -e "$versions/\${folder##*/}" ] || mv -T "$folder" "$versions/\${folder##*/}"
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
  target=${CAPABILITY_FOLDERS.versions}/$2
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
