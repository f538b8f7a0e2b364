/** Capabilities as a provider is given them, made of text. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { CapabilityFolder } from '../src/platform/sandbox/sandbox-provider.ts';

export type Texts = Readonly<Record<string, string>>;

export interface CountedFolder extends CapabilityFolder {
  /** How often its files were asked for. */
  readonly asked: () => number;
}

/** @param entries in the order in which they come; paths may be there twice */
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

/** With a list of the digests of its files, by which `sha256sum -c SUMS` in it says whether it is whole. */
export function toSummedFolder(path: string, version: number, fileCount: number): CountedFolder {
  const texts = Array.from({ length: fileCount }, (_, index) => [
    `part-${index % 5}/file-${index}-of-${version}.txt`,
    `${version} ${index} ${'x'.repeat(index * 37)}\n`,
  ]);
  const sums = texts.map(([name = '', text = '']) => `${sha256(text)}  ${name}\n`).join('');
  // First: what is seen too early has a list of files that are not there yet.
  return toFolder(path, Object.fromEntries([['SUMS', sums], ['VERSION', `${version}\n`], ...texts]));
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
