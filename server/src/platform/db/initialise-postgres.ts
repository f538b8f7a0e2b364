import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DataDirectoryError } from '../data-directory-error.ts';
import type { PostgresBinaries } from './bundled-binaries.ts';
import { isAlive } from './postmaster-file.ts';
import { type Account, launchAs } from './run-as.ts';

/** The account that creates the database and its user; the server itself never uses it. */
export const SUPERUSER = 'postgres';

/** Lies inside the database's directory, so that the two always belong together. */
const PASSWORD_FILE = 'drydock-password';

/** Creates the database's directory beside its place and moves it there as a whole: a killed start leaves no partial directory. */
export async function initialise(
  dataDir: string,
  pgdata: string,
  account: Account | undefined,
  binaries: PostgresBinaries,
): Promise<void> {
  const fresh = join(dataDir, `initialising-${process.pid}`);
  mkdirSync(fresh, { mode: 0o700 });
  const password = `${fresh}.password`;
  writeFileSync(password, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (account) {
    chownSync(fresh, account.uid, account.gid);
    chownSync(password, account.uid, account.gid);
  }
  const args = [
    `--pgdata=${fresh}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const {
    command,
    args: launchArgs,
    ...as
  } = launchAs(account, binaries.initdb, args, [binaries.initdb, fresh]);
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  await promisify(execFile)(command, launchArgs, { ...as, env, cwd: '/' }).catch((error: unknown) => {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(password, { force: true });
    throw explainFailure(error, dataDir);
  });
  renameSync(password, join(fresh, PASSWORD_FILE));
  try {
    renameSync(fresh, pgdata);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another process has created it first; the start decides between the two.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
}

/** The first error line states the reason; the lines after it describe what initdb did with its files. */
function explainFailure(error: unknown, dataDir: string): Error {
  const { stderr = '', message } = error as Error & { stderr?: string };
  const line = stderr.split('\n').find((text) => /error|fatal|could not|cannot/i.test(text)) ?? message;
  const reason = line.replace(/^.*?(?:error|fatal|panic): */i, '');
  return new DataDirectoryError(`PostgreSQL could not make its database in ${dataDir}: ${reason}`, {
    cause: error,
  });
}

export function readPassword(pgdata: string): string {
  return readFileSync(join(pgdata, PASSWORD_FILE), 'utf8');
}

export function refuseOtherMajorVersion(pgdata: string, binaries: PostgresBinaries): void {
  const found = readFileSync(join(pgdata, 'PG_VERSION'), 'utf8').trim();
  const bundled = /(\d+)/.exec(execFileSync(binaries.postgres, ['--version']).toString())?.[1];
  if (found === bundled) return;
  throw new DataDirectoryError(
    `${pgdata} was made by PostgreSQL ${found}; this Drydock bundles PostgreSQL ${bundled}, which cannot open it. ` +
      'Nothing was changed. Either run the Drydock release that made it, ' +
      `or serve it with a PostgreSQL ${found} of your own and set DATABASE_URL, ` +
      'or dump it there with pg_dump, set DRYDOCK_DATA_DIR to an empty directory and load the dump.',
  );
}

/** Removes the files of a start that was killed while it created the database. */
export function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /^initialising-(\d+)/.exec(name)?.[1];
    if (pid && (Number(pid) === process.pid || !isAlive(Number(pid))))
      rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}
