/** Builds capabilities in the form that a provider receives, from text. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { CapabilityFolder } from '../src/platform/sandbox/sandbox-provider.ts';

export type Texts = Readonly<Record<string, string>>;

export interface CountedFolder extends CapabilityFolder {
  /** Number of times that its files were read. */
  readonly asked: () => number;
}

/** @param entries in the order in which they are sent; a path may occur twice */
export function toFolder(
  path: string,
  entries: Texts | readonly (readonly [string, string])[],
): CountedFolder {
  const list = Array.isArray(entries)
    ? (entries as readonly (readonly [string, string])[])
    : Object.entries(entries);
  let count = 0;
  return {
    path,
    digest: sha256(JSON.stringify([path, list])),
    asked: () => count,
    files: async function* () {
      count += 1;
      for (const [name, text] of list) {
        const content = Buffer.from(text);
        yield { path: name, sizeBytes: content.length, content: Readable.from([content]) };
      }
    },
  };
}

/** Adds a list of the digests of its files, with which `sha256sum -c SUMS` checks that the folder is complete. */
export function toSummedFolder(path: string, version: number, fileCount: number): CountedFolder {
  const texts = Array.from({ length: fileCount }, (_, index) => [
    `part-${index % 5}/file-${index}-of-${version}.txt`,
    `${version} ${index} ${'x'.repeat(index * 37)}\n`,
  ]);
  const sums = texts.map(([name = '', text = '']) => `${sha256(text)}  ${name}\n`).join('');
  // The list comes first: a folder that becomes visible too early lists files that are not there yet.
  return toFolder(path, Object.fromEntries([['SUMS', sums], ['VERSION', `${version}\n`], ...texts]));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
