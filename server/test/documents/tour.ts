/** Runs documents from top to bottom in one shell, one after the other on one server, as a newcomer does. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPython } from '../../../scripts/python-packages.ts';
import { atEndOfFile } from '../end-of-file.ts';
import { startEvaluationWorld } from '../evaluation-world.ts';
import { type Block, matchesOutput, promisedLines, readBlocks, readShellFunctions } from './document.ts';
import { hasShell, makeHome, paste, type ShellName } from './shells.ts';

const ORIGIN = 'http://127.0.0.1:8080';
/** Blocks with these marks are only checked for their syntax: they need an engine, or start a server that stays in the foreground. */
const NOT_RUN = ['docker', 'terminal'];
/** A block with this mark shows a request that is refused. */
const REFUSED = 'refused';
/** A block with this mark needs Python packages, or installs some. */
const PYTHON = 'python';
const TOUR_MS = 900_000;

const RUNNERS: Record<string, (file: string) => string> = {
  ts: (file) => `${process.execPath} --conditions=drydock-source ${file}`,
  python: (file) => `${findPython()} ${file}`,
};

/** Whether this machine has everything that a block needs. */
function canRun({ language, marks }: Block): boolean {
  if (language === 'python' || marks.includes(PYTHON)) return findPython() !== undefined;
  return marks.filter((mark) => mark !== REFUSED).every(isInstalled);
}

/** Searches all of PATH, while `findProgram` knows only the folders of system packages. */
const isInstalled = (program: string) =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));

export const isRun = ({ language, marks }: Block) =>
  (language === 'sh' || language in RUNNERS) && !NOT_RUN.some((mark) => marks.includes(mark));

export function describeTour(shell: ShellName, paths: readonly string[]): void {
  describe.skipIf(!hasShell(shell))(`documents pasted into ${shell}`, async () => {
    const world = hasShell(shell) ? await startEvaluationWorld() : undefined;
    if (!world) return;
    const origin = await world.server.app.listen({ host: '127.0.0.1', port: 0 });
    const place = { shell, origin, key: world.server.owner.key };
    test.each(paths)('%s works from top to bottom', { timeout: TOUR_MS }, (path) => follow(path, place));
  });
}

interface Place {
  readonly shell: ShellName;
  readonly origin: string;
  readonly key: string;
}

async function follow(path: string, { shell, origin, key }: Place): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'drydock-tour-'));
  atEndOfFile(() => rmSync(home, { recursive: true, force: true }));
  makeHome(home);
  const blocks = readBlocks(path).filter((block) => isRun(block) && canRun(block));
  expect(blocks.length).toBeGreaterThan(0);
  const preamble = path === 'README.md' ? [] : [readShellFunctions()];
  const commands = [...preamble, ...blocks].map((block, index) =>
    toCommands(block, join(home, `block-${index}.${block.language === 'ts' ? 'ts' : 'py'}`))
      .replaceAll(ORIGIN, origin)
      .replaceAll('dd_…', key),
  );
  const env = { DRYDOCK_URL: origin, DRYDOCK_API_KEY: key };
  const pasted = (await paste(shell, { home, env, blocks: commands })).slice(preamble.length);
  for (const [index, block] of blocks.entries()) {
    const { output = '', failures = [] } = pasted[index] ?? {};
    judge(`${path}:${block.line} (${block.section})`, block, { output, failures });
  }
}

function toCommands({ language, code }: Block, file: string): string {
  const run = RUNNERS[language];
  if (!run) return code;
  writeFileSync(file, code);
  return run(file);
}

type Outcome = { readonly output: string; readonly failures: readonly string[] };

function judge(place: string, block: Block, { output, failures }: Outcome): void {
  const expected = block.language === 'sh' ? block.output : promisedLines(block.code).join('\n');
  if (!block.marks.includes(REFUSED))
    expect({ place, failures, output }).toEqual({ place, failures: [], output });
  if (expected !== undefined && !matchesOutput(expected, output)) {
    expect({ place, output }).toEqual({ place, output: expected.trimEnd() });
  }
  let from = 0;
  for (const printed of block.prints) {
    const at = output.indexOf(printed, from);
    expect(at, `${place} prints ${printed}, after other texts, in:\n${output}`).toBeGreaterThanOrEqual(0);
    from = at + printed.length;
  }
}
