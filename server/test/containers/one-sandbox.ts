/** Creates one sandbox with a disk of its own and runs commands in it. */
import { collectOutput } from '../../src/platform/sandbox/output.ts';
import type { SandboxProvider } from '../../src/platform/sandbox/sandbox-provider.ts';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';

let count = 0;
export async function start(provider: SandboxProvider, egressAllow: readonly string[] = []): Promise<string> {
  const id = `one-${count++}`;
  const spec = { id, diskId: `disk-${id}`, hostname: 'one', limits: {}, hasWorkspace: true };
  await provider.start({ ...spec, egressAllow });
  return id;
}

export async function end(provider: SandboxProvider, id: string): Promise<void> {
  await provider.kill(id);
  await provider.removeDisk(`disk-${id}`);
}

export const toCommand = (script: string) =>
  ({ argv: ['sh', '-c', script], cwd: '/workspace', environment: {} }) as const;

export async function sh(provider: SandboxProvider, id: string, script: string): Promise<string> {
  const output = await collectOutput(await provider.exec(id, toCommand(script)), {
    timeoutMs: WAIT_TIMEOUT_MS,
  });
  return `${output.stdout}${output.stderr}`;
}
