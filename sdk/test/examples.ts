/** Finds the examples of the documentation: each ts block of the README and of the comments in src. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export interface Example {
  /** A file name that says where it comes from. */
  readonly name: string;
  /** A whole module. */
  readonly code: string;
  /** What it prints, by its own comments. */
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

/** What nearly all begin with is written once in the README, and not again in each. */
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
