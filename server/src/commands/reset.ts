/** `npm run reset`: ends the sandboxes of the data directory and removes everything in it, when nothing runs on it. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { endSandboxes } from '../open-sandboxes.ts';
import {
  explainFileError,
  foreignNames,
  isDataDirectory,
  requireAccess,
  requireOwnData,
} from '../platform/data-directory.ts';
import { endOrphan } from '../platform/db/bundled-postgres.ts';
import { addressOf } from '../platform/db/require-connection.ts';
import type { Log } from '../platform/log.ts';
import { fateOf, readHostFile } from '../runtimes/hosts/host-file.ts';
import { runCommand, UsageError } from './command.ts';

await runCommand(async (config, log) => {
  const { yes } = parseArgs({ options: { yes: { type: 'boolean', default: false } } }).values;
  const { dataDir } = config;
  if (existsSync(dataDir)) requireAccess(dataDir);
  if (!existsSync(dataDir) || readdirSync(dataDir).length === 0) {
    console.log(`There is no data in ${dataDir}: nothing was removed.`);
    return;
  }
  refuseForeign(dataDir);
  // Root may remove the files of every user.
  if (process.getuid?.() !== 0) requireOwnData(dataDir);
  await refuseRunning(dataDir, log, yes);
  if (!yes) {
    await confirm(dataDir);
    // A server may have been started since the first check.
    await refuseRunning(dataDir, log, yes);
  }
  const sandboxes = await remove(config, log);
  console.log([describeRemoved(dataDir, sandboxes), ...describeKept(config)].join('\n'));
});

function refuseForeign(dataDir: string): void {
  const foreign = foreignNames(readdirSync(dataDir));
  if (isDataDirectory(dataDir) && foreign.length === 0) return;
  const reason = foreign.length > 0 ? `it holds ${foreign.slice(0, 3).join(', ')}` : 'nothing in it is';
  throw new UsageError(
    `${dataDir} is not only Drydock's: ${reason}. Nothing was removed. Move other files away, or set DRYDOCK_DATA_DIR to the data directory.`,
  );
}

/** Refuses to reset under a running server. A database that a killed server left behind is ended. */
async function refuseRunning(dataDir: string, log: Log, isSure: boolean): Promise<void> {
  const hostFile = join(dataDir, 'sandboxes/host.json');
  const holder = existsSync(hostFile) ? readHostFile(hostFile).holder : null;
  const fate = holder && fateOf(holder);
  if (fate === 'alive') {
    throw new UsageError(
      `A server runs on ${dataDir} (process ${holder?.pid}). Stop it first; nothing was removed.`,
    );
  }
  if (fate === 'unknown' && !isSure) {
    throw new UsageError(
      `A server in another container may run on ${dataDir}. Stop it; when none runs, confirm with: npm run reset -- --yes. Nothing was removed.`,
    );
  }
  const pgdata = join(dataDir, 'postgres');
  if (existsSync(pgdata)) await endOrphan(pgdata, log);
}

async function confirm(dataDir: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new UsageError(
      `This removes all data in ${dataDir}. Run it in a terminal, or confirm with: npm run reset -- --yes`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const question = `Remove ${dataDir} with its database, objects, secret key and sandboxes? Type "yes": `;
  const answer = await terminal.question(question);
  terminal.close();
  if (answer.trim() !== 'yes') throw new UsageError('Nothing was removed.');
}

/**
 * Removes the database and the objects first, since ending sandboxes takes some room on the disk. The files by which the directory is known as
 * Drydock's are removed last, so that a reset that was killed can be run again.
 */
async function remove(config: Config, log: Log): Promise<number> {
  const { dataDir } = config;
  const isLast = (name: string) => name === 'sandboxes' || name === 'secret-key';
  try {
    for (const name of readdirSync(dataDir).filter((name) => !isLast(name))) removeAll(join(dataDir, name));
    const folder = join(dataDir, 'sandboxes');
    const sandboxes = existsSync(folder) ? await endSandboxes(config, log) : 0;
    if (existsSync(folder)) {
      for (const name of readdirSync(folder).filter((name) => name !== 'host.json'))
        removeAll(join(folder, name));
      removeAll(folder);
    }
    removeAll(join(dataDir, 'secret-key'));
    removeFolder(dataDir);
    return sandboxes;
  } catch (error) {
    const reason = explainFileError(error);
    if (reason === undefined) throw error;
    throw new UsageError(`${reason} Not everything was removed. Run it again as root: sudo npm run reset`, {
      cause: error,
    });
  }
}

function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/** Removes the empty folder. A volume of a container, or a link, cannot be removed and stays. */
function removeFolder(dataDir: string): void {
  try {
    rmdirSync(dataDir);
  } catch {
    // as good as removed
  }
}

function describeRemoved(dataDir: string, sandboxes: number): string {
  const ended = sandboxes === 0 ? '' : ` ${sandboxes} sandbox${sandboxes === 1 ? ' was' : 'es were'} ended.`;
  return `All data in ${dataDir} was removed.${ended}`;
}

function describeKept({ database, s3 }: Config): string[] {
  return [
    ...(database.url
      ? [
          `The database at ${addressOf(database.url)} was not touched. To begin anew, drop it and create it again.`,
        ]
      : []),
    ...(s3 ? [`The bucket ${s3.bucket} was not touched. To begin anew, empty it.`] : []),
  ];
}
