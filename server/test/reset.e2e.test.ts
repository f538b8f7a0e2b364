/** `npm run reset`: what it refuses, and that it removes everything. */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProviderReport } from '../src/platform/sandbox/sandbox-provider.ts';
import { runCommand } from './commands.ts';
import { isRunning } from './descendants.ts';
import { requireWhereInstalled } from './installed-sandboxes.ts';
import { call, newDataDir, pgdataOf, startServer, until } from './processes.ts';

const dataDir = newDataDir();
const environment = { DRYDOCK_DATA_DIR: dataDir };
const reset = (...args: string[]) => runCommand('reset', args, environment);

test('reset refuses a running server and a missing confirmation, then ends sandboxes and removes all data', async () => {
  const server = await startServer(environment);
  const key = server.owner?.key;
  const providers = await call<ProviderReport[]>(server.url, key, 'GET', '/org/main/sandbox-providers');
  for (const report of providers.body) if (report.name === 'namespaces') requireWhereInstalled(report);
  const hasSandboxes = providers.body.some(({ available }) => available);
  const runtimes = '/org/main/ws/main/runtimes';
  if (hasSandboxes) {
    await call(server.url, key, 'POST', runtimes, { name: 'Kept', key: 'kept' });
    expect((await call(server.url, key, 'POST', `${runtimes}/kept/start`)).status).toBe(200);
  }
  expect(await reset('--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Stop it first; nothing was removed.'),
  });
  await server.stop();
  if (hasSandboxes) expect(server.output().stderr).toContain('1 sandbox lives on');
  const processes = listProcesses();
  expect(processes.length > 0).toBe(hasSandboxes);

  expect(await reset()).toMatchObject({
    code: 1,
    stderr: `This removes all data in ${dataDir}. Run it in a terminal, or confirm with: npm run reset -- --yes\n`,
  });
  writeFileSync(join(dataDir, 'thesis.txt'), 'not backed up');
  expect(await reset('--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not only Drydock's: it holds thesis.txt. Nothing was removed."),
  });
  expect(existsSync(pgdataOf(dataDir))).toBe(true);
  expect(listProcesses()).toEqual(processes);

  rmSync(join(dataDir, 'thesis.txt'));
  expect(await reset('--yes')).toEqual({
    code: 0,
    signal: null,
    stdout: `All data in ${dataDir} was removed.${hasSandboxes ? ' 1 sandbox was ended.' : ''}\n`,
    stderr: '',
  });
  expect(existsSync(dataDir)).toBe(false);
  await until('the sandbox has ended', () => !processes.some(isRunning));
  expect(await reset('--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('There is no data in'),
  });
});

/** Lists the processes that hold sandboxes. */
function listProcesses(): number[] {
  const files = globSync(join(dataDir, 'sandboxes/run/*/sandbox.json'));
  return files.map((file) => JSON.parse(readFileSync(file, 'utf8')).processes.holder.pid);
}

test('reset refuses a folder that no server has used, and leaves it unchanged', async () => {
  const folder = newDataDir();
  mkdirSync(join(folder, 'objects'), { recursive: true });
  expect(await runCommand('reset', ['--yes'], { DRYDOCK_DATA_DIR: folder })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not only Drydock's: nothing in it is. Nothing was removed."),
  });
  expect(readdirSync(folder)).toEqual(['objects']);
});

test('reset reports what it does not touch when database and objects are elsewhere', async () => {
  const folder = newDataDir();
  mkdirSync(folder);
  writeFileSync(join(folder, 'secret-key'), 'x'.repeat(40));
  const outside = {
    DRYDOCK_DATA_DIR: folder,
    DATABASE_URL: 'postgres://drydock:hunter2hunter2@db.example:5433/agents',
    DRYDOCK_SECRET_KEY: 'a secret key of more than 32 characters',
    S3_BUCKET: 'agents',
  };
  expect(await runCommand('reset', ['--yes'], outside)).toMatchObject({
    code: 0,
    stdout:
      `All data in ${folder} was removed.\n` +
      'The database at db.example:5433/agents was not touched. To begin anew, drop it and create it again.\n' +
      'The bucket agents was not touched. To begin anew, empty it.\n',
  });
});
