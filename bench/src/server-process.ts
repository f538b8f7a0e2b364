/** Runs a server in a child process and discards its log, so that reading a log is not measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Origins } from './requests.ts';
import type { Report } from './serve.ts';
import { ENVIRONMENT, NODE_OPTIONS } from './start-command.ts';

export interface ServerProcess<Addresses = Origins> {
  readonly pid: number;
  readonly addresses: Addresses;
}

export interface ServerProcessOptions {
  /** The entry file of the process: run with the options of `npm start`, except `bare-*.ts`, which get none. */
  readonly entry: URL;
  readonly env: Record<string, string>;
  readonly profileDir: string | undefined;
}

export async function startServer<Addresses = Origins>(
  { entry, env, profileDir }: ServerProcessOptions,
  undo: AsyncDisposableStack,
): Promise<ServerProcess<Addresses>> {
  const file = fileURLToPath(entry);
  const profile = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
  const options = basename(file).startsWith('bare-') ? [] : NODE_OPTIONS;
  const child = spawn(process.execPath, [...options, ...profile, file], {
    env: { PATH: process.env.PATH, ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  undo.defer(() => endServer(child));
  const report = await firstReport<Addresses>(child, file);
  if ('failure' in report) throw new Error(`${file} did not start: ${report.failure}`);
  if (child.pid === undefined) throw new Error(`${file} did not start`);
  return { pid: child.pid, addresses: report.addresses };
}

function firstReport<Addresses>(child: ChildProcess, file: string): Promise<Report<Addresses>> {
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report<Addresses>));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it listened`)));
  });
}

async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await exited;
}
