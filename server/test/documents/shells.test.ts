/** Tests the document harness: it must notice commands that fail when users paste them, in each shell. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atEndOfFile } from '../end-of-file.ts';
import { startTestServer } from '../harness.ts';
import { readShellFunctions } from './document.ts';
import { hasShell, makeHome, paste } from './shells.ts';

const server = await startTestServer();
const origin = await server.app.listen({ host: '127.0.0.1', port: 0 });
const functions = readShellFunctions().code;

const REFUSED = [
  ['a command that fails', 'false'],
  ['a program that is missing', 'no-such-program'],
  ['a refused request', 'drydock $api/no-such-path'],
  ['a refused request whose response is dropped', 'drydock $api/no-such-path > /dev/null'],
  ['a refused request in a substitution', 'id=$(drydock $api/no-such-path)'],
  ['a refused request before another command', 'drydock $api/no-such-path | cat'],
] as const;

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  const home = mkdtempSync(join(tmpdir(), 'drydock-shell-'));
  atEndOfFile(() => rmSync(home, { recursive: true, force: true }));
  makeHome(home);
  const opening = functions.replaceAll('http://127.0.0.1:8080', origin).replaceAll('dd_…', server.owner.key);
  const run = (...blocks: string[]) => paste(shell, { home, env: {}, blocks: [opening, ...blocks] });

  test.skipIf(!hasShell(shell)).each(REFUSED)('paste notices %s', async (_, command) => {
    const [, before, failed, after] = await run('echo before', `${command} 2> /dev/null`, 'echo after');
    expect(failed?.failures).not.toEqual([]);
    expect([before, after]).toEqual([
      { output: 'before', failures: [] },
      { output: 'after', failures: [] },
    ]);
  });

  test.skipIf(!hasShell(shell))(
    'paste accepts requests that succeed, conditions, and streams that the client leaves',
    async () => {
      const [, done] = await run(
        'drydock $DRYDOCK_URL/api/v1/user > /dev/null\nif false; then echo; fi\nfalse || echo done',
      );
      expect(done).toEqual({ output: 'done', failures: [] });
    },
  );

  test.skipIf(!hasShell(shell))('paste refuses a block that the shell does not understand', async () => {
    await expect(run('no-such-program', 'echo after')).rejects.toThrow(`${shell} says`);
  });
});

test.skipIf(!hasShell('zsh'))('paste refuses a comment in zsh, which has none at its prompt', async () => {
  const home = mkdtempSync(join(tmpdir(), 'drydock-shell-'));
  atEndOfFile(() => rmSync(home, { recursive: true, force: true }));
  makeHome(home);
  await expect(paste('zsh', { home, env: {}, blocks: ['# a comment'] })).rejects.toThrow(
    'command not found: #',
  );
});
