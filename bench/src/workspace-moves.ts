/** Moves a large /workspace from sandbox to sandbox, requested by a process that is not a host, as workers do. */
import { loadConfig } from '@drydock/server/src/config.ts';
import { openOperator } from '@drydock/server/src/open-sandboxes.ts';
import { connect } from '@drydock/server/src/platform/db/connect.ts';
import { createLog } from '@drydock/server/src/platform/log.ts';
import type { RuntimeOperator } from '@drydock/server/src/runtimes/operator.ts';
import { Sandboxes } from '@drydock/server/src/runtimes/service.ts';
import type { BenchDatabase } from './database.ts';

const BYTES = 1_000_000_000;
const WARM_UP = 2;

/** @returns the milliseconds of each hand-over */
export async function timeWorkspaceMoves({ env }: BenchDatabase, rounds: number): Promise<number[]> {
  const log = createLog('warn');
  const db = connect({ url: env.DATABASE_URL ?? '', poolSize: 2, namedStatements: true, log });
  try {
    const secretKeys = { current: env.DRYDOCK_SECRET_KEY ?? '', other: undefined };
    const { operator, times } = timed(openOperator({ config: loadConfig({}), secretKeys, db }));
    const sandboxes = new Sandboxes({ db, operator, log });
    const owner = {
      organizationId: env.BENCH_ORGANIZATION_ID ?? '',
      workspaceId: env.BENCH_WORKSPACE_ID ?? '',
      userId: (await db.selectFrom('users').select('id').executeTakeFirstOrThrow()).id,
    };
    const request = { owner, origin: 'eval', signal: new AbortController().signal } as const;
    await sandboxes.withSandbox(request, async (first) => {
      const { exitCode, stderr } = await first.exec(`head -c ${BYTES} /dev/zero > /workspace/data`);
      if (exitCode !== 0) throw new Error(`the workspace could not be filled: ${stderr}`);
      await first.end();
      let workspaceFrom = first.id;
      for (let round = 0; round < WARM_UP + rounds; round++) {
        workspaceFrom = await sandboxes.withSandbox({ ...request, workspaceFrom }, async (next) => {
          const { stdout } = await next.exec('stat -c %s /workspace/data');
          if (Number(stdout) !== BYTES) throw new Error(`/workspace has come with ${stdout} bytes`);
          await next.end();
          await next.keep(60);
          return next.id;
        });
      }
      await sandboxes.withSandbox({ ...request, workspaceFrom }, () => Promise.resolve());
    });
    return times.slice(WARM_UP, WARM_UP + rounds);
  } finally {
    await db.destroy();
  }
}

function timed(operator: RuntimeOperator): { operator: RuntimeOperator; times: number[] } {
  const times: number[] = [];
  const takeWorkspace = operator.takeWorkspace.bind(operator);
  operator.takeWorkspace = async (...given) => {
    const started = performance.now();
    await takeWorkspace(...given);
    times.push(performance.now() - started);
  };
  return { operator, times };
}
