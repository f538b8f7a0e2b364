/** Pastes blocks of documents into interactive shells, as users do at a terminal. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPython } from '../../../scripts/python-packages.ts';
import { findProgram } from '../../../scripts/system-packages.ts';
import { ROOT } from './document.ts';

export type ShellName = 'bash' | 'zsh';

/** The shells start without startup files, which could allow comments in zsh. */
const SHELLS: Record<ShellName, { readonly args: readonly string[]; readonly onFailure: string }> = {
  bash: {
    args: ['--norc', '--noprofile', '-i'],
    onFailure: `trap 'echo "$BASH_COMMAND" >> "$FAILURES"' ERR`,
  },
  zsh: { args: ['-f', '-i'], onFailure: 'TRAPZERR() { echo "status $?" >> "$FAILURES"; }' },
};

export const hasShell = (shell: ShellName) => findProgram(shell) !== undefined;

export interface Paste {
  /** The home folder of the user, which holds the packages of this repository. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly blocks: readonly string[];
}

export interface Pasted {
  readonly output: string;
  /** The commands that failed. */
  readonly failures: readonly string[];
}

/** @returns what each block printed, and the commands in it that failed */
export async function paste(shell: ShellName, { home, env, blocks }: Paste): Promise<readonly Pasted[]> {
  const failures = join(home, '.failures');
  writeFileSync(failures, '');
  const opening = ['PS1= PS2=', 'set -o pipefail', SHELLS[shell].onFailure];
  const input = [
    ...opening,
    ...blocks.map((block, index) => `${block}\necho; echo "@block ${index}" | tee -a "$FAILURES"`),
    'trap - ERR ZERR 2> /dev/null; exit 0\n',
  ].join('\n');
  const child = spawn(shell, [...SHELLS[shell].args], {
    cwd: home,
    env: {
      ...env,
      HOME: home,
      FAILURES: failures,
      TERM: 'dumb',
      PATH: `${home}/.bin:${process.env['PATH']}`,
    },
    // A session of its own has no terminal, so no shell asks for the one of the tests.
    detached: true,
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const outputs = split(stdout);
  const failed = split(readFileSync(failures, 'utf8'));
  if (outputs.length < blocks.length) {
    throw new Error(`${shell} ended in block ${outputs.length}:\n${stdout}\n${stderr}`);
  }
  const mistakes = findMistakes(stderr);
  if (mistakes.length > 0) throw new Error(`${shell} says:\n${mistakes.join('\n')}`);
  return outputs.map((output, index) => ({
    output: output.trim(),
    failures: (failed[index] ?? '').split('\n').filter(Boolean),
  }));
}

/** Each part ends with a line `@block <number>`. */
const split = (printed: string) => printed.split(/^@block \d+\n/m).slice(0, -1);

/** A shell without a terminal says so when it starts. zsh writes the signs of its prompt before a message. */
const findMistakes = (stderr: string) =>
  stderr
    .split('\n')
    .filter((line) => /\b(?:bash|zsh): /.test(line) && !/terminal process group|no job control/.test(line));

/** Makes the home folder of a user who has every package that the documents name. */
export function makeHome(home: string): void {
  mkdirSync(join(home, '.bin'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  // The packages are those of this repository: nothing is downloaded.
  addProgram(home, 'npm', 'exit 0');
  // zsh loses the status of a pipeline that ends with a function, as `drydock` does, so a refused request is noted here. The end of
  // --max-time (28) does not count as a failure: the documents leave streams that way.
  addProgram(
    home,
    'curl',
    `${findProgram('curl')} --fail-with-body "$@"
status=$?
case $status in 0 | 28) ;; *) echo "curl failed with $status: $*" >> "$FAILURES" ;; esac
exit $status`,
  );
  addProgram(
    home,
    'python3',
    `if [ "$1 $2" = "-m venv" ]; then
  mkdir -p "$3/bin"
  printf '#!/bin/sh\\nexec ${findPython()} "$@"\\n' > "$3/bin/python"
  printf '#!/bin/sh\\n' > "$3/bin/pip"
  chmod +x "$3/bin/python" "$3/bin/pip"
else
  exec ${findProgram('python3') ?? 'python3'} "$@"
fi`,
  );
}

function addProgram(home: string, name: string, script: string): void {
  const path = join(home, '.bin', name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
