/**
 * A process that starts sandboxes as it is told and then waits to be killed: `node left-behind.ts <folder> <plan>`.
 *
 * It says `begun` when it starts them, and `ready` when all that the plan says has come to pass.
 */
import { collectOutput } from '../../src/platform/sandbox/output.ts';
import type { Command, SandboxSpec } from '../../src/platform/sandbox/sandbox-provider.ts';
import { openProvider } from './provider-under-test.ts';

export interface LeftBehind {
  readonly spec: SandboxSpec;
  /** In bash, each until its end. */
  readonly scripts?: readonly string[];
  /** In bash, and left running. */
  readonly running?: string;
  readonly isPaused?: boolean;
}

const [folder = '', plan = '[]'] = process.argv.slice(2);
const { provider } = openProvider(folder);
const toCommand = (script: string): Command => ({ argv: ['bash', '-c', script], cwd: '/', environment: {} });

async function leave({ spec, scripts = [], running, isPaused }: LeftBehind): Promise<void> {
  await provider.start(spec);
  for (const script of scripts) {
    const output = await collectOutput(await provider.exec(spec.id, toCommand(script)), {
      timeoutMs: 10_000,
    });
    if (output.exit_code !== 0) throw new Error(`${script}: ${output.stderr}`);
  }
  if (running) await provider.exec(spec.id, toCommand(running));
  if (isPaused) await provider.pause(spec.id);
}

await provider.probe();
console.info('begun');
await Promise.all((JSON.parse(plan) as LeftBehind[]).map(leave));
console.info('ready');
setInterval(() => undefined, 1_000_000);
