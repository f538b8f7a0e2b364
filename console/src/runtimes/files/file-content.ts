/** Reads and writes the files of a sandbox, as the page shows and edits them. */
import type { OneRuntime, RuntimeFile } from '@drydock/sdk';
import { drydock } from '../../api/client.ts';
import { downloadFile } from '../../components/download.ts';
import { baseNameOf, parentOf } from './paths.ts';

/** Larger files are offered as a download: a text field of this size is still quick. */
export const MAX_TEXT_BYTES = 1_000_000;

export type FileContent =
  | { readonly kind: 'large'; readonly sizeBytes: number }
  | { readonly kind: 'binary'; readonly sizeBytes: number }
  | {
      readonly kind: 'text';
      readonly sizeBytes: number;
      /** The text uses only line feeds, as a text field does. */
      readonly text: string;
      readonly lineEnd: '\n' | '\r\n';
      /** Saving a text field would change every line end of such a file. */
      readonly hasMixedLineEnds: boolean;
      /** A stamp that changes with the file, to detect changes since it was read. */
      readonly stamp: string | undefined;
    };

export async function readContent(
  where: OneRuntime,
  path: string,
  signal?: AbortSignal,
): Promise<FileContent> {
  const options = signal && { signal };
  // The stamp is read first, so that a change in between is noticed.
  const stamp = await readStamp(where, path, signal);
  const response = await drydock.runtimeFiles.get(where, { path }, options);
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > MAX_TEXT_BYTES) {
    await response.body?.cancel();
    return { kind: 'large', sizeBytes: announced };
  }
  const bytes = await response.arrayBuffer();
  const decoded = decode(bytes);
  if (decoded === undefined) return { kind: 'binary', sizeBytes: bytes.byteLength };
  const lineEnd = decoded.includes('\r\n') ? '\r\n' : '\n';
  const text = decoded.replaceAll(/\r\n?/g, '\n');
  const hasMixedLineEnds = toFileText(text, lineEnd) !== decoded;
  return { kind: 'text', sizeBytes: bytes.byteLength, text, lineEnd, hasMixedLineEnds, stamp };
}

/** @returns undefined for content that is not UTF-8 text */
function decode(bytes: ArrayBuffer): string | undefined {
  if (new Uint8Array(bytes).includes(0)) return undefined;
  try {
    // A byte order mark stays in the text, so that saving keeps it.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export const toFileText = (text: string, lineEnd: '\n' | '\r\n'): string =>
  lineEnd === '\n' ? text : text.replaceAll('\n', lineEnd);

const toStamp = ({ modified_at, size_bytes }: RuntimeFile): string => `${modified_at} ${size_bytes}`;

/** @returns undefined for a file that does not exist */
export async function readStamp(
  where: OneRuntime,
  path: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const folder = parentOf(path);
  const { entries } = await drydock.runtimeFiles.list(
    where,
    folder === '' ? {} : { path: folder },
    signal && { signal },
  );
  const entry = entries.find(({ name }) => name === baseNameOf(path));
  return entry && toStamp(entry);
}

export async function writeText(where: OneRuntime, path: string, text: string): Promise<string> {
  return toStamp(await drydock.runtimeFiles.put(where, { path }, new TextEncoder().encode(text)));
}

/** The access token is sent in a header, so a plain link could not download the file. */
export async function download(where: OneRuntime, path: string): Promise<void> {
  const response = await drydock.runtimeFiles.get(where, { path });
  downloadFile(baseNameOf(path), await response.blob(), 'application/octet-stream');
}

/** A command in the sandbox that has failed, with what it wrote. */
export class CommandFailed extends Error {}

async function run(where: OneRuntime, command: string[]): Promise<void> {
  const { exit_code, stderr } = await drydock.runtimes.exec(where, { command, timeout_seconds: 30 });
  if (exit_code !== 0) throw new CommandFailed(stderr.trim() || `The command ended with ${exit_code}.`);
}

/** The API has no operations for these two, so commands in the sandbox do them. Arguments are never read by a shell. */
export const createFolder = (where: OneRuntime, path: string): Promise<void> =>
  run(where, ['mkdir', '--', `./${path}`]);

const RENAME =
  'if [ -e "$2" ] || [ -L "$2" ]; then echo "$2 exists already." >&2; exit 1; fi; mv -T -- "$1" "$2"';

export const rename = (where: OneRuntime, from: string, to: string): Promise<void> =>
  run(where, ['sh', '-c', RENAME, 'sh', `./${from}`, `./${to}`]);
