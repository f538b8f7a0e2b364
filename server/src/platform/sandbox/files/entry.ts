/** One file or folder of a sandbox, as reported by `find`. */
import { ApiError } from '../../errors.ts';

export interface FileEntry {
  /** Bytes that are not UTF-8 are shown as U+FFFD. */
  readonly name: string;
  /** Path below /workspace, without that prefix. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'other';
  readonly size_bytes: number;
  readonly modified_at: string;
  /** Octal mode such as `0644`. */
  readonly mode: string;
}

const TYPE_BY_LETTER: Readonly<Record<string, FileEntry['type']>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
};

/** @param record `name/type/size/seconds/mode` */
export function toEntry(record: string, path: string): FileEntry {
  const [name, letter = '', size, seconds, mode] = record.split('/');
  if (name === undefined || mode === undefined) {
    throw new ApiError(
      'sandbox_provider_error',
      'The sandbox sent an incomplete response about a file. Try again.',
    );
  }
  const type = TYPE_BY_LETTER[letter] ?? 'other';
  const modified_at = toTime(Number(seconds));
  return { name, path, type, size_bytes: Number(size), modified_at, mode: mode.padStart(4, '0') };
}

/** A file may have any year; JSON timestamps only allow four digits. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;

export function toTime(seconds: number): string {
  const bounded = Math.min(LAST_SECOND, Math.max(FIRST_SECOND, seconds));
  return new Date(Math.floor(bounded * 1000)).toISOString();
}
