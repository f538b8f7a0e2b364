/** Finds the examples of the documentation: each ts block in the README and in comments of src. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export interface Example {
  /** File name that identifies its origin. */
  readonly name: string;
  /** A complete module. */
  readonly code: string;
  /** Expected output, from its own comments. */
  readonly prints: readonly string[];
}

export function findExamples(): Example[] {
  const files = ['README.md', ...globSync('src/**/*.ts', { cwd: ROOT }).toSorted()];
  return files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ +\* ?/gm, '');
    return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block = ''], index) => ({
      name: `${file.replace('src/', '').replaceAll(/[/.]/g, '-')}-${index + 1}.ts`,
      code: complete(block),
      prints: [...block.matchAll(/\/\/ → (.*)$/gm)].map(([, line = '']) => line),
    }));
  });
}

/** Adds the common beginning of the examples, which only the README repeats. */
function complete(block: string): string {
  const isUsed = (name: string) => block.includes(name) && !new RegExp(`import .*\\b${name}\\b`).test(block);
  const names = ['Drydock', 'isDrydockError'].filter((name) => isUsed(name) || name === 'Drydock');
  const makesOne = /const drydock =/.test(block);
  return [
    ...(/import .*\bDrydock\b/.test(block) ? [] : [`import { ${names.join(', ')} } from '@drydock/sdk';`]),
    ...(makesOne ? [] : ['const drydock = new Drydock();']),
    block,
  ].join('\n');
}
