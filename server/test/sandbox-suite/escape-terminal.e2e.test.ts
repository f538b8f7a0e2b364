/** Escape through terminals: output is data, and nothing in it types into another terminal. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Cell, openWorld } from './escape-world.ts';

const world = await openWorld();

describe.runIf(world)('the terminals of a sandbox', () => {
  let attacker: Cell;
  beforeAll(async () => {
    if (world) attacker = await world.start();
  });

  test('are not available to a command, which leads a session of its own', async () => {
    const { stdout } = await attacker.sh(
      "(: < /dev/tty) 2>/dev/null && echo terminal; [ -t 0 ] || [ -t 1 ] || [ -t 2 ] && echo terminal; ps -o pid=,sid=,tty= -p $$ | awk '{print ($1 == $2), $3}'",
    );
    expect(stdout).toBe('1 ?\n');
  });

  test.each([
    ['TIOCSTI', '0x5412'],
    ['TIOCSTI with more above it', '0x5412 | (1 << 32)'],
    ['TIOCLINUX', '0x541c'],
    ['TIOCSETD', '0x5423'],
  ])('refuse %s, even on a terminal of its own', async (_name, request) => {
    const number = process.arch === 'arm64' ? 29 : 16;
    const { stdout } = await attacker.perl(
      `open(my $m, "+<", "/dev/ptmx") or die $!; my $b = "x"; syscall(${number}, fileno($m), ${request}, $b); print $!+0`,
    );
    expect(stdout).toBe('1');
  });

  test('accept input only from the client that has them open', async () => {
    const number = process.arch === 'arm64' ? 29 : 16;
    const program = `my $b = "x"; syscall(${number}, 0, 0x5412, $b); print $!+0`;
    // Perl complains about a locale that an image lacks, and a terminal shows that.
    const environment = { LC_ALL: 'C' };
    const command = { argv: ['perl', '-e', program] as const, cwd: '/', environment };
    const terminal = await world?.provider.openTerminal(attacker.id, command, { columns: 80, rows: 24 });
    expect(Buffer.concat((await terminal?.output.toArray()) ?? []).toString()).toBe('1');
  });

  test('can be created inside and belong only to the sandbox', async () => {
    const { stdout } = await attacker.sh(
      'script -qc "echo inside" /dev/null < /dev/null 2>&1 | tr -d "\\r"; ls /dev/pts',
    );
    expect(stdout).toMatch(/^inside\n/);
    expect(stdout).toMatch(/ptmx\n$/);
    expect(stdout.split('\n').filter((line) => /^\d+$/.test(line))).toEqual([]);
  });

  test('return escape sequences and terminal queries unchanged and without a reply', async () => {
    const written = '\u001b[2J\u001b]0;title\u0007\u001b[6n\u001b[c\u001bP$qm\u001b\\\u0005\u009b21t';
    const { stdout } = await attacker.sh('printf %s "$WRITTEN"; read -r answer && echo answered', {
      WRITTEN: written,
    });
    expect(stdout).toBe(written);
  });
});
