/**
 * What a sandbox is shown of capabilities: a volume that is mounted read-only in it. It is changed by containers of ours, which see
 * nothing else of the sandbox: files come into a folder with a hidden name, and are seen when a link to all of them is in place.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { Header, Pax } from 'tar';
import { ApiError } from '../../http/errors.ts';
import type { CapabilityFile, CapabilityFolder } from '../sandbox-provider.ts';
import { CAPABILITIES, toCapabilitiesMount } from './container-plan.ts';
import type { Engine } from './engine.ts';
import type { Ownership } from './ownership.ts';
import { runHelper } from './sandbox-image.ts';

const TIMEOUT_MS = 300_000;
const BLOCK_BYTES = 512;
const NEVER = new Date(0);

export interface CapabilityPlace {
  readonly engine: Engine;
  readonly ownership: Ownership;
  readonly image: string;
  /** Of the sandbox. */
  readonly id: string;
  readonly container: string;
}

/**
 * `$1` names what is then there, `$2` the folder of what came; then a path and a digest for each. New links first, then what programs read, then what goes.
 * Files stay for who is working with them; they go with the volume, at the end of the sandbox.
 */
const SWAP = `
set -e
umask 022
cd ${CAPABILITIES}
state=$1 coming=$2
shift 2
rm -f .state-*
# Of a change that broke off: it is in none of the names below.
for folder in .coming-*; do [ "$folder" = "$coming" ] || rm -rf "$folder"; done
mkdir -p .store
for folder in "$coming"/store/*; do
  [ -d "$folder" ] || continue
  [ -e ".store/\${folder##*/}" ] || mv -T "$folder" ".store/\${folder##*/}"
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
  target=.store/$2
  case $1 in */*) mkdir -p "\${1%%/*}"; target=../$target ;; esac
  [ -L "$1" ] || [ ! -d "$1" ] || rmdir "$1"
  if [ "$(readlink "$1" || :)" != "$target" ]; then
    ln -s "$target" "$coming/link"
    mv -T "$coming/link" "$1"
  fi
  shift 2
done
mv -T "$coming/bindings.json" bindings.json
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
  checkPaths(folders);
  const state = toState(folders, bindings);
  if (await isThere(place, state)) return;
  const stored = await Promise.all(folders.map(({ digest }) => isThere(place, `.store/${digest}`)));
  const digests = new Set<string>();
  const coming = folders.filter(({ digest }, index) => {
    if (stored[index] || digests.has(digest)) return false;
    digests.add(digest);
    return true;
  });
  const { engine, ownership, image, id } = place;
  const name = `.coming-${randomBytes(8).toString('hex')}`;
  const { code, text } = await runHelper(
    engine,
    ownership,
    {
      Image: image,
      Entrypoint: ['sh', '-c'],
      Cmd: [SWAP, 'sh', state, name, ...folders.flatMap(({ path, digest }) => [path, digest])],
      HostConfig: { Mounts: [toCapabilitiesMount(ownership, id, false)] },
    },
    {
      timeoutMs: TIMEOUT_MS,
      before: (container) =>
        engine.call((_docker, abortSignal) => {
          const archive = Readable.from(toArchive(name, coming, bindings), { objectMode: false });
          return container.putArchive(archive, { path: CAPABILITIES, abortSignal });
        }, TIMEOUT_MS),
    },
  );
  if (code === 0) return;
  const detail = `The capabilities could not be put in place: ${text.trim().slice(-300)}`;
  throw new ApiError('sandbox_provider_error', detail);
}

/** A capability and an owner of others may have one name; then there is no place for both. */
function checkPaths(folders: readonly CapabilityFolder[]): void {
  const paths = new Set(folders.map(({ path }) => path));
  for (const path of paths) {
    if (!/^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)?$/.test(path))
      throw new ApiError('sandbox_provider_error', `${path} is no place for a capability.`);
    const owner = path.split('/')[0] ?? '';
    if (path.includes('/') && paths.has(owner)) {
      const detail = `The capabilities ${owner} and ${path} cannot be shown together: one would lie in the other. Remove one of them.`;
      throw new ApiError('conflict_error', detail);
    }
  }
}

function toState(folders: readonly CapabilityFolder[], bindings: string): string {
  const all = folders.map(({ path, digest }) => `${path} ${digest}`).toSorted();
  const text = JSON.stringify([all, bindings]);
  return `.state-${createHash('sha256').update(text).digest('hex')}`;
}

/** Asked of the engine: nothing in the sandbox has a say in it. */
async function isThere({ engine, container }: CapabilityPlace, name: string): Promise<boolean> {
  const found = await engine.find((docker, abortSignal) => {
    const path = `${CAPABILITIES}/${name}`;
    return docker.getContainer(container).infoArchive({ path, abortSignal });
  });
  return found !== undefined;
}

async function* toArchive(
  coming: string,
  folders: readonly CapabilityFolder[],
  bindings: string,
): AsyncGenerator<Uint8Array> {
  yield toHeader(`${coming}/`, 0, 'Directory');
  yield toHeader(`${coming}/store/`, 0, 'Directory');
  for (const { digest, files } of folders) {
    const folder = `${coming}/store/${digest}/`;
    const made = new Set<string>();
    yield toHeader(folder, 0, 'Directory');
    for await (const file of files()) {
      checkFile(file);
      // Named one by one: what an engine makes by itself has whatever mode it likes.
      for (const parent of toParents(file.path).filter((path) => !made.has(path))) {
        made.add(parent);
        yield toHeader(`${folder}${parent}/`, 0, 'Directory');
      }
      yield* toEntry(folder, file);
    }
  }
  const text = Buffer.from(bindings);
  yield* toEntry(`${coming}/`, {
    path: 'bindings.json',
    sizeBytes: text.length,
    content: Readable.from([text]),
  });
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

function checkFile({ path, content }: CapabilityFile): void {
  if (!path.split('/').some((part) => ['', '.', '..'].includes(part))) return;
  content.destroy();
  throw new ApiError('sandbox_provider_error', `${path} leads out of the folder of its capability.`);
}

/** Of `a/b/c`: `a` and `a/b`. */
function toParents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function* toEntry(
  folder: string,
  { path, sizeBytes, content }: CapabilityFile,
): AsyncGenerator<Uint8Array> {
  yield toHeader(`${folder}${path}`, sizeBytes, 'File');
  let written = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    written += chunk.length;
    yield chunk;
  }
  if (written !== sizeBytes)
    throw new ApiError('sandbox_provider_error', `${path} holds ${written} bytes instead of ${sizeBytes}.`);
  yield Buffer.alloc(-sizeBytes & (BLOCK_BYTES - 1));
}

/** All may be run: nothing says which are programs. */
function toHeader(path: string, size: number, type: 'File' | 'Directory'): Buffer {
  const header = new Header({ path, size, type, mode: 0o755, uid: 0, gid: 0, mtime: NEVER });
  const block = Buffer.alloc(BLOCK_BYTES);
  const needsPax = header.encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size, mtime: NEVER }).encode(), block]) : block;
}
