/** Runs commands in a bare bwrap with a /workspace: enough of a sandbox for code that only runs commands in one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Execution } from '../src/platform/sandbox/sandbox-provider.ts';
import { atEndOfFile } from './end-of-file.ts';

export interface LocalSandbox {
  /** The host folder that is mounted as /workspace. */
  readonly folder: string;
  /** All executions, ended and running. */
  readonly executions: Execution[];
  exec(command: Command): Promise<Execution>;
}

export async function openLocalSandbox(): Promise<LocalSandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-local-'));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  const executions: Execution[] = [];
  const exec = async (command: Command) => {
    const execution = await execLocally(folder, command);
    executions.push(execution);
    return execution;
  };
  return { folder, executions, exec };
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

async function execLocally(folder: string, { argv, cwd, environment }: Command): Promise<Execution> {
  const roots = ['/usr', '/bin', '/lib', '/lib64', '/sbin'].flatMap((path) => ['--ro-bind-try', path, path]);
  const mounts = [
    ...roots,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--bind',
    folder,
    '/workspace',
  ];
  const variables = Object.entries({ PATH, ...environment }).flatMap(([name, value]) => [
    '--setenv',
    name,
    value,
  ]);
  const confinement = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--unshare-pid', '--clearenv'];
  const args = [...mounts, ...confinement, ...variables, '--die-with-parent', '--chdir', cwd, '--', ...argv];
  const child = spawn('bwrap', args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  await once(child, 'spawn');
  const { stdin, stdout, stderr } = child;
  const exit = new Promise<{ code: number }>((ended) => {
    child.once('exit', (code) => ended({ code: code ?? 137 }));
  });
  return { stdin, stdout, stderr, exit, kill: () => killGroup(child) };
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}
