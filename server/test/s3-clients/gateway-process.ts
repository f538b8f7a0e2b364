/** A server with its gateway as a separate process, and the data that the suite needs about it. */
import { join } from 'node:path';
import { inject } from 'vitest';
import { createSigner } from '../../src/platform/auth/signing.ts';
import { Sessions } from '../../src/platform/object-storage/embedded/sessions.ts';
import { toSessionPolicy } from '../../src/platform/object-storage/session-policy.ts';
import { createDatabase } from '../databases.ts';
import { atEndOfFile } from '../end-of-file.ts';
import { FIRST_START } from '../first-start.ts';
import { newDataDir, type RunningServer, startServer, until } from '../processes.ts';
import { getAccess, type S3Access } from '../workspace-storage.ts';

const ENTRY = join(import.meta.dirname, 'watched-server.ts');
const SECRET_KEY = 'the secret key of a server that S3 clients use';

export interface GatewayProcess {
  readonly server: RunningServer;
  /** Credentials of a workspace. */
  readonly access: S3Access;
  /** The same credentials, but expired. */
  readonly expired: S3Access;
  /** Credentials for another prefix. */
  accessTo(prefix: string): S3Access;
  /** @returns the maximum MiB of buffers that the server held during the work */
  watchMemory(work: () => Promise<void>): Promise<number>;
}

/** Stops when the test file ends. */
export async function startGatewayProcess(): Promise<GatewayProcess> {
  const database = await createDatabase(inject('databaseUrl'));
  atEndOfFile(() => database.drop());
  const environment = {
    DATABASE_URL: database.url,
    DRYDOCK_SECRET_KEY: SECRET_KEY,
    DRYDOCK_DATA_DIR: newDataDir(),
    DRYDOCK_S3_PORT: '0',
  };
  const server = await startServer(environment, { run: [ENTRY] });
  atEndOfFile(() => server.stop());
  const access = await getAccess(server.url, FIRST_START.apiKey);
  const issue = (prefix: string, seconds: number) => ({
    ...access,
    prefix,
    ...issueFor(access, prefix, seconds),
  });
  return {
    server,
    access,
    // Issued as expired, since no test can wait an hour.
    expired: issue(access.prefix, -1),
    accessTo: (prefix) => issue(prefix, 3_600),
    watchMemory: (work) => watchMemory(server, work),
  };
}

/** Issues with the server's key what the server would have issued. */
function issueFor({ bucket, region }: S3Access, prefix: string, seconds: number) {
  const sessions = new Sessions({ signer: createSigner(SECRET_KEY, undefined), region });
  return sessions.issue(toSessionPolicy(bucket, { prefix, access: 'write' }), seconds);
}

async function watchMemory(server: RunningServer, work: () => Promise<void>): Promise<number> {
  const toggle = async (news: RegExp) => {
    const { length } = server.output().stderr;
    process.kill(server.pid, 'SIGUSR2');
    return await until(
      'it tells of its memory',
      () => news.exec(server.output().stderr.slice(length)) ?? undefined,
    );
  };
  await toggle(/the watch has begun\n/);
  await work();
  const [, peakMib] = await toggle(/the watch has ended: (\S+) MiB/);
  return Number(peakMib);
}
