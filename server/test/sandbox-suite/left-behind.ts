/**
 * A process that starts sandboxes according to a plan and then waits to be killed: `node left-behind.ts <folder> <plan> [<engine>]`. It
 * prints `begun` when it starts them, and `ready` when everything in the plan is done.
 */
import { collectOutput } from '../../src/platform/sandbox/output.ts';
import type { Command, SandboxSpec } from '../../src/platform/sandbox/sandbox-provider.ts';
import { toFolder } from '../capability-folders.ts';
import { WAIT_TIMEOUT_MS } from '../wait-timeout.ts';
import { openProvider } from './provider-under-test.ts';

export interface LeftBehind {
  readonly spec: SandboxSpec;
  /** Bash scripts that run to their end. */
  readonly scripts?: readonly string[];
  /** A bash script that is left running. */
  readonly running?: string;
  /** A port whose connection is left open. */
  readonly port?: number;
  readonly isPaused?: boolean;
  /** A capability that is installed with the file `a`, while the transfer of others never ends. */
  readonly capability?: string;
}

const [folder = '', plan = '[]', engine] = process.argv.slice(2);
const { provider } = openProvider(folder, engine && JSON.parse(engine));
const toCommand = (script: string): Command => ({ argv: ['bash', '-c', script], cwd: '/', environment: {} });

async function leave(left: LeftBehind): Promise<void> {
  const { spec, scripts = [], running, port, isPaused, capability } = left;
  await provider.start(spec);
  for (const script of scripts) {
    const output = await collectOutput(await provider.exec(spec.id, toCommand(script)), {
      timeoutMs: WAIT_TIMEOUT_MS,
    });
    if (output.exit_code !== 0) throw new Error(`${script}: ${output.stderr}`);
  }
  if (running) await provider.exec(spec.id, toCommand(running));
  if (port) await provider.connect(spec.id, port);
  if (isPaused) await provider.pause(spec.id);
  if (capability !== undefined) await leaveUnpacking(spec.id, capability);
}

async function leaveUnpacking(id: string, name: string): Promise<void> {
  const shown = toFolder(name, { a: 'shown\n' });
  await provider.setCapabilities(id, [shown], '[]\n');
  const half = Promise.withResolvers<void>();
  const files = async function* () {
    yield* toFolder(name, { a: 'newer\n', 'b/c': 'newer\n' }).files();
    half.resolve();
    await new Promise(() => undefined);
  };
  void provider.setCapabilities(id, [{ ...toFolder(name, { a: 'newer\n' }), files }], '[1]\n');
  await half.promise;
}

await provider.probe();
console.info('begun');
await Promise.all((JSON.parse(plan) as LeftBehind[]).map(leave));
console.info('ready');
setInterval(() => undefined, 1_000_000);
