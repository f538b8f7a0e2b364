/** Runs the command-line programs as a user does. */
import { join } from 'node:path';
import { type Exit, type ServerProcess, spawnServer } from './processes.ts';

type Command = 'backup' | 'restore' | 'reset' | 'reset-owner' | 'rotate-secret-key';

export interface CommandResult extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

export function spawnCommand(
  name: Command,
  args: readonly string[],
  environment: Record<string, string>,
): ServerProcess {
  const file = join(import.meta.dirname, '../src/commands', `${name}.ts`);
  return spawnServer({ DRYDOCK_LOG_LEVEL: 'warn', ...environment }, { run: [file, ...args] });
}

export async function runCommand(
  name: Command,
  args: readonly string[],
  environment: Record<string, string>,
): Promise<CommandResult> {
  const command = spawnCommand(name, args, environment);
  const exit = await command.exited;
  return { ...exit, ...command.output() };
}
