/**
 * A change of what a disk has of capabilities, wherever it is made. Files come into a folder among the versions that nobody else may
 * enter, appear as a version by one rename, and are seen when a link to all of them is in place.
 */
import { randomBytes } from 'node:crypto';
import type { CapabilityFolder } from '../sandbox-provider.ts';
import { SHELF_FOLDERS } from './ownership.ts';

/** Below the versions, for what is to be renamed to be one. */
export const STAGING = 'staging';

export interface ShelfChange {
  /** Names all that is then there. */
  readonly state: string;
  readonly sandboxId: string;
  readonly folders: readonly CapabilityFolder[];
  /** Those of them that have to be brought. */
  readonly missing: readonly CapabilityFolder[];
  readonly bindings: string;
  /** Of the sandbox's end. */
  readonly signal: AbortSignal;
}

export interface Shelf {
  /** @param name below the versions */
  isThere(name: string): Promise<boolean>;
  /** @returns what it said where it failed */
  change(change: ShelfChange): Promise<{ readonly code: number; readonly text: string }>;
}

/** Of what comes, below the staging. */
export const newComing = () => `coming-${randomBytes(8).toString('hex')}`;

/** For `sh`, when `store` with a folder for each version, and `bindings.json`, are there. */
export function toSwap(links: string, versions: string, coming: string, change: ShelfChange): string[] {
  const shown = change.folders.flatMap(({ path, digest }) => [path, digest]);
  return ['-c', SWAP, 'sh', links, versions, change.state, coming, change.sandboxId, ...shown];
}

/**
 * `$1` and `$2` are where the links and the versions lie, `$3` names what is then there, `$4` the folder of what came, `$5` the sandbox;
 * then a path and a digest for each. New links first, then what programs read, then what goes. Versions stay for who is working with
 * them; those that the first change for another sandbox finds without a link go then.
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
  target=${SHELF_FOLDERS.versions}/$2
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
