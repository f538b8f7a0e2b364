/**
 * File access in a sandbox, by commands that run in it: whatever a link or a name leads to, only what the sandbox's own user may access is
 * reached. One command per operation. Confined to /workspace.
 */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { ApiError } from '../../errors.ts';
import { collectOutput } from '../output.ts';
import type { Command, Execution } from '../sandbox-provider.ts';
import { openContent } from './content.ts';
import { type FileEntry, toEntry } from './entry.ts';
import { DELETE, LIST, READ, STAT, toRefusal, WRITE } from './scripts.ts';
import { invalidPath, toWorkspacePath } from './workspace-path.ts';

export type Exec = (command: Command) => Promise<Execution>;

export interface FileContent {
  readonly size_bytes: number;
  readonly modified_at: string;
  /** Fails when fewer bytes arrive than announced. Destroying it ends the command. */
  readonly stream: Readable;
}

export interface FileList {
  /** Entries sorted by the bytes of their names. */
  readonly entries: readonly FileEntry[];
  /** True when the folder has more entries. */
  readonly is_truncated: boolean;
}

export interface WriteOptions {
  readonly maxBytes?: number;
}

const MAX_FILE_BYTES = 1024 ** 3;
const MAX_ENTRIES = 10_000;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
/** Long enough for any upload that makes progress; the code that sends the content watches the progress. */
const WRITE_TIMEOUT_MS = 6 * 3_600_000;

export async function readFile(exec: Exec, path: string): Promise<FileContent> {
  const execution = await exec(toCommand(READ, toWorkspacePath(path)));
  return openContent(execution, TIMEOUT_MS, (status) => toRefusal(status, path));
}

/** Follows links. */
export async function statFile(exec: Exec, path: string): Promise<FileEntry> {
  const normal = toWorkspacePath(path);
  const [record = ''] = await runScript(exec, path, toCommand(STAT, normal));
  return toEntry(record, normal);
}

export async function listFiles(exec: Exec, path: string, limit = MAX_ENTRIES): Promise<FileList> {
  const folder = toWorkspacePath(path);
  // Requests one more than needed, to detect that there are more.
  const records = await runScript(exec, path, toCommand(LIST, folder, String(limit + 1)));
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = records
    .slice(0, limit)
    .map((record) => toEntry(record, `${prefix}${record.split('/', 1)[0]}`));
  return { entries, is_truncated: records.length > limit };
}

/** Deletes a link itself, not its target. */
export async function deleteFile(exec: Exec, path: string, isRecursive: boolean): Promise<void> {
  const { folder, name } = toPlace(path);
  await runScript(exec, path, toCommand(DELETE, folder, name, isRecursive ? 'recursive' : ''));
}

/**
 * Content that fails or is too long leaves the file unchanged. Creates missing parent folders. The content is not destroyed when the write
 * is refused, so that its sender can still get a response.
 */
export async function writeFile(
  exec: Exec,
  path: string,
  content: Readable,
  { maxBytes = MAX_FILE_BYTES }: WriteOptions = {},
): Promise<FileEntry> {
  const { folder, name } = toPlace(path);
  const mark = randomBytes(16).toString('hex');
  const input = new MarkedContent(content, mark, maxBytes);
  const command = toCommand(WRITE, folder, name, mark);
  const execution = await exec(command);
  const stdin = Readable.from(input.pieces(), { objectMode: false });
  const { exit_code, stdout } = await collectOutput(execution, { timeoutMs: WRITE_TIMEOUT_MS, stdin });
  if (input.failure !== undefined) throw input.failure;
  if (exit_code !== 0) throw toRefusal(exit_code, path);
  return toEntry(stdout.split('\0')[0] ?? '', toWorkspacePath(path));
}

/** The sent content, followed by a mark when it is complete. */
class MarkedContent {
  failure: unknown;
  private readonly content: Readable;
  private readonly mark: string;
  private readonly maxBytes: number;

  constructor(content: Readable, mark: string, maxBytes: number) {
    this.content = content;
    this.mark = mark;
    this.maxBytes = maxBytes;
  }

  /** When the source fails, the input simply ends: without the mark the script discards it. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    const content = this.content.iterator({ destroyOnReturn: false });
    for (let size = 0; ; ) {
      const piece = await this.next(content);
      if (this.failure !== undefined) return;
      if (piece === undefined) break;
      size += piece.length;
      if (size > this.maxBytes) this.failure = tooLarge(this.maxBytes);
      if (this.failure !== undefined) return;
      // Errors thrown here come from the command, which refused the rest and reports the reason by its exit code.
      yield piece;
    }
    yield Buffer.from(this.mark);
  }

  private async next(content: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await content.next();
      return done ? undefined : value;
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }
}

const tooLarge = (maxBytes: number) =>
  new ApiError(
    'invalid_error',
    `A file has at most ${maxBytes} bytes here. Send it in parts, and join them with exec.`,
  );

function toPlace(path: string): { folder: string; name: string } {
  const normal = toWorkspacePath(path);
  if (normal === '') throw invalidPath('Name a file in /workspace, not /workspace itself.');
  const slash = normal.lastIndexOf('/');
  return { folder: normal.slice(0, Math.max(slash, 0)), name: normal.slice(slash + 1) };
}

/** The script is also its own `$0`, since one of them starts itself again. PATH contains only folders that the sandbox cannot write to. */
function toCommand(script: string, ...args: string[]): Command {
  return {
    argv: ['/bin/sh', '-c', script, script, ...args],
    cwd: '/',
    environment: { PATH: '/usr/bin:/bin' },
  };
}

/** @returns the printed records */
async function runScript(exec: Exec, path: string, command: Command): Promise<string[]> {
  const execution = await exec(command);
  const output = await collectOutput(execution, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_LIST_BYTES });
  if (output.timed_out) throw new ApiError('sandbox_provider_error', 'The sandbox took too long. Try again.');
  if (output.exit_code !== 0) throw toRefusal(output.exit_code, path);
  return output.stdout.split('\0').slice(0, -1);
}
