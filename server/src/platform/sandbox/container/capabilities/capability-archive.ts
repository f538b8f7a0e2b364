/** Sends the files of capabilities to an engine as one archive, built on the fly. */
import { Readable } from 'node:stream';
import { Header, Pax } from 'tar';
import { FileTree } from '../../../file-tree.ts';
import type { CapabilityFile, CapabilityFolder } from '../../sandbox-provider.ts';
import { addToTree, refuseFile, untilAborted } from '../../unpacking.ts';

const BLOCK_BYTES = 512;
const NEVER = new Date(0);
const FOLDER_MODE = 0o755;
/** All files are executable, since nothing tells which ones are programs. */
const FILE_MODE = 0o555;

export interface CapabilityArchive {
  /** Folder that sandboxes cannot access. */
  readonly staging: string;
  /** Subfolder of the staging folder that receives the files. */
  readonly coming: string;
  readonly folders: readonly CapabilityFolder[];
  readonly bindings: string;
}

export async function* toArchive(
  { staging, coming, folders, bindings }: CapabilityArchive,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield toFolderHeader(staging, 0o700);
  yield toFolderHeader(`${staging}/${coming}`);
  yield toFolderHeader(`${staging}/${coming}/store`);
  for (const { digest, files } of folders) {
    const folder = `${staging}/${coming}/store/${digest}`;
    const tree = new FileTree();
    const made = new Set<string>();
    yield toFolderHeader(folder);
    for await (const file of untilAborted(files(), signal)) {
      try {
        addToTree(tree, file);
        // Parent folders are listed explicitly: an engine would create them with a mode of its choice.
        for (const parent of toParents(file.path).filter((path) => !made.has(path))) {
          made.add(parent);
          yield toFolderHeader(`${folder}/${parent}`);
        }
        yield* toEntry(folder, file);
      } finally {
        file.content.destroy();
      }
    }
  }
  const text = Buffer.from(bindings);
  yield* toEntry(`${staging}/${coming}`, {
    path: 'bindings.json',
    sizeBytes: text.length,
    content: Readable.from([text]),
  });
  yield Buffer.alloc(2 * BLOCK_BYTES);
}

/** Returns `a` and `a/b` for `a/b/c`. */
function toParents(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function* toEntry(
  folder: string,
  { path, sizeBytes, content }: CapabilityFile,
): AsyncGenerator<Uint8Array> {
  yield toHeader(`${folder}/${path}`, sizeBytes, 'File', FILE_MODE);
  let written = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    written += chunk.length;
    if (written > sizeBytes) throw refuseFile(path, `holds more than ${sizeBytes} bytes`);
    yield chunk;
  }
  if (written < sizeBytes) throw refuseFile(path, `holds ${written} instead of ${sizeBytes} bytes`);
  yield Buffer.alloc(-sizeBytes & (BLOCK_BYTES - 1));
}

const toFolderHeader = (path: string, mode = FOLDER_MODE) => toHeader(`${path}/`, 0, 'Directory', mode);

function toHeader(path: string, size: number, type: 'File' | 'Directory', mode: number): Buffer {
  const header = new Header({ path, size, type, mode, uid: 0, gid: 0, mtime: NEVER });
  const block = Buffer.alloc(BLOCK_BYTES);
  const needsPax = header.encode(block);
  return needsPax ? Buffer.concat([new Pax({ path, size, mtime: NEVER }).encode(), block]) : block;
}
