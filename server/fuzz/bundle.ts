/** A bundle that every kind of artifact accepts: for operations that take bytes, and as the basis of odd bytes. */
import { gzipSync } from 'node:zlib';

const BLOCK = 512;

export interface TarEntry {
  readonly path: string;
  readonly content?: string;
  /** `0` for a file; `2` for a symbolic link, `5` for a folder, `3` for a device. */
  readonly type?: string;
  /** Target of a link. */
  readonly target?: string;
  /** A false size for the header. */
  readonly size?: number;
}

/** A manifest that every kind accepts: no schema describes the content of one. */
export const makeManifest = (name: string, version: string) => ({
  schema: 1,
  name,
  version,
  summary: 'fuzz',
  description: 'fuzz',
  instruction: 'do it',
  environment: { image: 'fuzz' },
  verification: { method: 'exact', expected: 'done' },
});

/** Returns the same bytes for the same name and version, so that publishing them twice does not conflict. */
export function makeBundle(name: string, version: string): Buffer {
  // JSON is YAML too.
  const content = JSON.stringify(makeManifest(name, version));
  const manifests = ['dataset', 'model', 'task', 'capability'].map((kind) => ({
    path: `${kind}.yaml`,
    content,
  }));
  const rows = { path: 'train.jsonl', content: '{"a": 1, "input": "x"}\n{"a": 2, "input": "y"}\n' };
  const agent = { path: 'agents/fuzz.md', content: 'Answer.\n' };
  return gzipSync(makeTar([...manifests, rows, agent]));
}

export function makeTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [makeHeader(entry, content.length), content, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function makeHeader({ path, type = '0', target = '', size }: TarEntry, length: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${(size ?? length).toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
