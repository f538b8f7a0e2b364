/** A guide of docs/guides, taken apart: the commands that people paste, and what they print. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface GuideSection {
  /** Empty for the section before the first heading. */
  readonly title: string;
  readonly commands: string;
  /** The lines that the commands print, which stand after `# →`. */
  readonly printed: readonly string[];
}

export function readGuide(name: string): readonly GuideSection[] {
  const text = readFileSync(join(ROOT, 'docs/guides', `${name}.md`), 'utf8');
  return text.split(/^## /m).map((section, index) => {
    const blocks = [...section.matchAll(/^(`{3,})sh\n(.*?)^\1$/gms)].map(([, , code = '']) => code);
    const commands = blocks.join('\n');
    return {
      title: index === 0 ? '' : (section.split('\n')[0] ?? ''),
      commands,
      printed: [...commands.matchAll(/# → (.*)$/gm)].map(([, line = '']) => line),
    };
  });
}

/** The content of a file that the commands of a guide write with `cat > file <<'END'`. */
export function fileInGuide(sections: readonly GuideSection[], file: string): string {
  const commands = sections.map((section) => section.commands).join('\n');
  const found = new RegExp(`cat > ${RegExp.escape(file)} <<'END'\n(.*?)^END$`, 'ms').exec(commands);
  if (!found) throw new Error(`The guide writes no file ${file}.`);
  return found[1] ?? '';
}

/** A shell function of the README that guides use. */
export function shellFunction(name: string): string {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return new RegExp(`^${name}\\(\\) .*?; }$`, 'ms').exec(readme)?.[0] ?? '';
}
