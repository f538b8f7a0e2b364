/** A server with its gateway, as a process of its own, and what the suite needs to know of it. */
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
  /** That of a workspace. */
  readonly access: S3Access;
  /** The same access, but that its time is over. */
  readonly expired: S3Access;
  /** Access to another prefix. */
  accessTo(prefix: string): S3Access;
  /** @returns MiB of buffers that the server held at the most meanwhile */
  watchMemory(work: () => Promise<void>): Promise<number>;
}

/** Ends by itself when the test file ends. */
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
    // Nobody waits an hour.
    expired: issue(access.prefix, -1),
    accessTo: (prefix) => issue(prefix, 3_600),
    watchMemory: (work) => watchMemory(server, work),
  };
}

/** What the server would have issued is issued here, with its key. */
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
