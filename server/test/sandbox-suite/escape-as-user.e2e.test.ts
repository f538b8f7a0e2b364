/** The same isolation when the server is an ordinary user, whose own uid the sandboxes then have on the host. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isRoot, NOBODY, nodeAsNobody, seenByNobody } from '../as-nobody.ts';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';

const folder = mkdtempSync(join(tmpdir(), 'drydock-user-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SOURCE = seenByNobody(join(import.meta.dirname, '../../src/platform'));

/** A minimal server, run as that user: one sandbox with one script. */
const program = (script: string, limits: string) => `
  const { createNamespacesProvider } = await import('${SOURCE}/sandbox/namespaces/namespaces-provider.ts');
  const { createLog } = await import('${SOURCE}/log.ts');
  const provider = createNamespacesProvider({
    folder: ${JSON.stringify(join(folder, 'sandboxes'))},
    log: createLog('fatal'),
    events: { ended: async () => undefined, egress: () => undefined },
  });
  const report = await provider.probe();
  if (!report.available) {
    console.log(JSON.stringify({ report }));
    process.exit();
  }
  const spec = { id: 'cell', diskId: 'disk', hostname: 'cell', hasWorkspace: true, egressAllow: [] };
  await provider.start({ ...spec, limits: ${limits} });
  const execution = await provider.exec('cell', { argv: ['sh', '-c', ${JSON.stringify(script)}], cwd: '/workspace', environment: {} });
  execution.stdin.end();
  execution.stderr.resume();
  const stdout = Buffer.concat(await execution.stdout.toArray()).toString();
  const { code } = await execution.exit;
  await provider.kill('cell');
  await provider.removeDisk('disk');
  const left = [await provider.list(), await provider.listDisks()];
  await provider.close();
  console.log(JSON.stringify({ report, stdout, code, left }));
`;

interface EventData {
  readonly report: { readonly available: boolean; readonly limits: readonly string[] };
  readonly stdout?: string;
  readonly left?: readonly string[][];
}

function runAsNobody(script: string, limits = '{}'): EventData {
  chmodSync(folder, 0o700);
  chownSync(folder, NOBODY, NOBODY);
  const [command, ...args] = nodeAsNobody('--input-type=module', '-e', program(script, limits));
  return JSON.parse(execFileSync(command, args, { encoding: 'utf8', timeout: WAIT_TIMEOUT_MS })) as EventData;
}

const report = isRoot ? runAsNobody('true').report : undefined;
const holds = (limit: string) => report?.limits.includes(limit) ?? false;

describe.runIf(report?.available)('a sandbox of an ordinary user', () => {
  test('a command has no privileges, sees only its own processes, and reaches none without the filter', () => {
    const { stdout, left } = runAsNobody(
      `id -u; grep -E '^(CapPrm|CapEff):' /proc/self/status | grep -vc 0000000000000000
       ls -d ${folder} /root /etc/shadow /proc/${process.pid} 2>/dev/null
       for p in /proc/[0-9]*; do (: <> $p/mem) 2>/dev/null && ! grep -q '^Seccomp:.2' $p/status && echo "$p"; done
       unshare --user true 2>/dev/null && echo made
       for p in /proc/[0-9]*; do nsenter --user=$p/ns/user true 2>/dev/null && echo entered; done; true`,
    );
    expect(stdout).toBe('1000\n0\n');
    expect(left).toEqual([[], []]);
  });

  test.runIf(holds('pids'))('the kernel limits a fork bomb', () => {
    // The shell counts by itself, since there may be no process left for another program.
    const bomb = `for n in $(seq 60); do sleep 600 & done`;
    const script = `sh -c '${bomb}' > /dev/null 2>&1; set -- /proc/[0-9]*; echo $#`;
    const { stdout } = runAsNobody(script, '{ pids: 24 }');
    expect(Number(stdout)).toBeGreaterThan(10);
    expect(Number(stdout)).toBeLessThanOrEqual(26);
  });

  test.runIf(!holds('memory'))('a limit that cannot be enforced is refused', () => {
    expect(() => runAsNobody('true', '{ memoryMb: 512 }')).toThrow('memory');
  });
});
