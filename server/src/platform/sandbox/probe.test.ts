/** The probes compared with the abilities of this machine, as root and as an ordinary user. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { asNobody, isRoot, NOBODY, seenByNobody } from '../../../test/as-nobody.ts';
import { type Abilities, probeAbilities } from './probe.ts';

const hasSandboxes = spawnSync('bwrap', ['--unshare-user', '--dev-bind', '/', '/', 'true']).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'drydock-probe-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ALL = { isPossible: true };

/** Runs in a process of that user, without root's privileges. */
function probeAsNobody(mayMakeNamespaces: boolean): Abilities {
  const source = seenByNobody(join(import.meta.dirname, 'probe.ts'));
  const script = `const { probeAbilities } = await import(${JSON.stringify(source)});
    const found = await probeAbilities({ uid: undefined, folder: ${JSON.stringify(folder)} });
    console.log(JSON.stringify(found));`;
  const node = [seenByNobody(process.execPath), '--input-type=module', '-e', script];
  const [command, ...args] = asNobody([...(mayMakeNamespaces ? [] : WITHOUT_NAMESPACES), ...node]);
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8' })) as Abilities;
}

/** The kernel creates no user namespaces inside of one with a limit of zero. */
const WITHOUT_NAMESPACES = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"',
  'sh',
];

describe.runIf(hasSandboxes)('probe on a machine with sandboxes', () => {
  test.runIf(isRoot)('finds everything as root, below a folder that is closed to other users', async () => {
    chmodSync(folder, 0o700);
    const found = await probeAbilities({ uid: 2_000_000_001, folder });
    expect(found).toMatchObject({ programs: ALL, userNamespaces: ALL, seccomp: ALL });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(isRoot)('finds everything as an ordinary user', () => {
    chownSync(folder, NOBODY, NOBODY);
    const found = probeAsNobody(true);
    expect(found).toMatchObject({ programs: ALL, userNamespaces: ALL, seccomp: ALL });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(isRoot)('tells a user without permission for namespaces how to allow them', () => {
    chownSync(folder, NOBODY, NOBODY);
    const { programs, userNamespaces, overlay } = probeAsNobody(false);
    expect(programs).toEqual(ALL);
    expect(userNamespaces).toMatchObject({ isPossible: false });
    expect(userNamespaces).toMatchObject({
      reason: expect.stringContaining('sysctl -w user.max_user_namespaces'),
    });
    expect(overlay).toEqual(userNamespaces);
  });
});
