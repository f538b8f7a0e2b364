/** Writes files of other users into a folder of ours, and nowhere else, whatever their paths are. */
import { constants } from 'node:fs';
import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ApiError } from '../errors.ts';
import { FileTree, findPathProblem } from '../file-tree.ts';
import type { CapabilityFile } from './sandbox-provider.ts';

/** Executable, since bundles keep no modes, and any file may be a program. */
const FILE_MODE = 0o555;
const FOLDER_MODE = 0o755;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Leaves partial results when it fails.
 * @param folder new, empty and inaccessible to others: everything in it was created here, so no part of a path is a link
 */
export async function unpackFiles(
  folder: string,
  files: AsyncIterable<CapabilityFile>,
  signal: AbortSignal,
): Promise<void> {
  const tree = new FileTree();
  const folders = new Set(['.']);
  for await (const file of untilAborted(files, signal)) {
    try {
      addToTree(tree, file);
      await makeFolders(folder, dirname(file.path), folders);
      await writeFile(join(folder, file.path), file, signal);
    } finally {
      file.content.destroy();
    }
  }
}

/** @throws {ApiError} when the path would lie outside of the folder, or collides with another one */
export function addToTree(tree: FileTree, { path }: CapabilityFile): void {
  const problem = findPathProblem(path) ?? tree.addFile(path);
  if (problem) throw refuseFile(path, problem);
}

/** Ends the iteration on abort, even when the source waits for something that never arrives. */
export async function* untilAborted(
  files: AsyncIterable<CapabilityFile>,
  signal: AbortSignal,
): AsyncGenerator<CapabilityFile> {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const iterator = files[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = iterator.next();
      next.then(({ value }) => signal.aborted && value?.content.destroy()).catch(() => undefined);
      const { done, value } = await Promise.race([next, aborted.promise]);
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    void iterator.return?.().catch(() => undefined);
  }
}

async function makeFolders(root: string, path: string, known: Set<string>): Promise<void> {
  if (known.has(path)) return;
  await makeFolders(root, dirname(path), known);
  await mkdir(join(root, path));
  // Independent of the umask of this process.
  await chmod(join(root, path), FOLDER_MODE);
  known.add(path);
}

async function writeFile(path: string, file: CapabilityFile, signal: AbortSignal): Promise<void> {
  const handle = await open(path, NEW_FILE, FILE_MODE);
  try {
    let written = 0;
    const counted = async function* () {
      for await (const chunk of addAbortSignal(signal, file.content) as AsyncIterable<Buffer>) {
        written += chunk.length;
        if (written > file.sizeBytes) throw refuseFile(file.path, `holds more than ${file.sizeBytes} bytes`);
        yield chunk;
      }
    };
    await handle.writeFile(counted());
    if (written < file.sizeBytes)
      throw refuseFile(file.path, `holds ${written} instead of ${file.sizeBytes} bytes`);
    await handle.chmod(FILE_MODE);
  } finally {
    await handle.close();
  }
}

export const refuseFile = (path: string, problem: string) =>
  new ApiError('sandbox_provider_error', `A file of a capability, ${JSON.stringify(path)}, ${problem}.`);
