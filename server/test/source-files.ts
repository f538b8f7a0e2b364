/** The source files of the repository and their imports, for the tests of its rules. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
export const SRC = join(ROOT, 'server/src');

export const sources = globSync(['{server,sdk,bench,scripts,console}/**/*.{ts,tsx}', '*.ts'], {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '{sdk,console}/dist/**'],
})
  .filter((file) => !file.endsWith('.gen.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));
const shippedUnder = (folder: string) =>
  sources.filter(({ file }) => file.startsWith(folder) && !file.endsWith('.test.ts'));
export const shipped = shippedUnder('server/src/');
export const sdk = shippedUnder('sdk/src/');
export const pages = shippedUnder('console/src/');

export const IMPORT =
  /^(?:import|export)\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm;

export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** Imports between our own files, as paths under server/src. */
export const edges: Edge[] = shipped.flatMap(({ file, text }) =>
  [...text.matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((target) => target.startsWith('.'))
    .map((target) => ({
      from: relative(SRC, join(ROOT, file)),
      to: relative(SRC, join(ROOT, dirname(file), target)),
    })),
);
