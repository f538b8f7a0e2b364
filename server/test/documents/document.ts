/** Parses Markdown documents into the blocks that users paste, their output, and the links between pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Block {
  readonly language: string;
  /** The words after the language: what a block needs, or why it is not run. */
  readonly marks: readonly string[];
  readonly code: string;
  readonly line: number;
  /** The heading above the block. */
  readonly section: string;
  /** The `text` block that follows a block of commands; `…` stands for anything. */
  readonly output: string | undefined;
  /** Texts that are printed in this order, from a comment `<!-- prints … -->` after the block. */
  readonly prints: readonly string[];
}

export const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');

export function readBlocks(path: string): readonly Block[] {
  const text = readText(path);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)];
  const fences = [...text.matchAll(/^(`{3,})(\w*) ?([^\n]*)\n(.*?)^\1$(?:\n\n<!-- prints\n(.*?)^-->$)?/gms)];
  return fences.map((match, index) => {
    const [whole, , language = '', marks = '', code = '', prints = ''] = match;
    const next = fences[index + 1];
    const isFollowed = next?.[2] === 'text' && next.index === match.index + whole.length + 2;
    return {
      language,
      marks: marks.split(' ').filter(Boolean),
      code,
      line: text.slice(0, match.index).split('\n').length,
      section: headings.findLast((heading) => heading.index < match.index)?.[1] ?? '',
      output: isFollowed ? next[4] : undefined,
      prints: prints.split('\n').filter(Boolean),
    };
  });
}

/** Finds the block of the README that defines the shell functions of all guides. */
export function readShellFunctions(): Block {
  const found = readBlocks('README.md').find(({ code }) => code.includes('drydock() {'));
  if (!found) throw new Error('README.md defines no shell functions.');
  return found;
}

/** The lines that the comments of a program promise. */
export const promisedLines = (code: string) =>
  [...code.matchAll(/(?:\/\/|#) → (.*)$/gm)].map(([, line = '']) => line);

/** The content of a file that the commands of a document write with `cat > file <<'END'`. */
export function fileInDocument(path: string, file: string): string {
  const found = new RegExp(`cat > ${RegExp.escape(file)} <<'END'\n(.*?)^END$`, 'ms').exec(readText(path));
  if (!found) throw new Error(`${path} writes no file ${file}.`);
  return found[1] ?? '';
}

/** Compares lines, where `…` in the expected text stands for any text, and a line `…` for any number of lines. */
export function matchesOutput(expected: string, actual: string): boolean {
  const pattern = expected
    .trimEnd()
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*' : `${toPattern(line)}\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${actual.trimEnd()}\n`);
}

const toPattern = (line: string) => line.split('…').map(RegExp.escape).join('.*');
