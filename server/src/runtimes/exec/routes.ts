import type { Db } from '../../platform/db/connect.ts';
import { workspaceRoutes } from '../../platform/http/operations.ts';
import type { RuntimeOperator } from '../operator.ts';
import { RuntimeParams } from '../schema.ts';
import { runCommand } from './run-command.ts';
import { getRunning } from './running.ts';
import { ExecExit, ExecOutput, ExecRequest, ExecResponse } from './schema.ts';

/** Enough for the base64 of the stdin of a command. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

interface ExecOptions {
  readonly db: Db;
  readonly operator: Pick<RuntimeOperator, 'exec'>;
}

export function execRoutes({ db, operator }: ExecOptions) {
  return workspaceRoutes('Runtimes', (on) => {
    on.post(
      '/runtimes/:runtime/exec',
      {
        id: 'execInRuntime',
        summary: 'Run a command in a runtime',
        description:
          'It is killed when its time is up and when you leave; what it left running in the background lives on. ' +
          'As events, all of its output comes while it runs, as fast as it is taken.',
        scope: 'runtimes:write',
        role: 'contributor',
        params: RuntimeParams,
        body: ExecRequest,
        response: ExecResponse,
        watched: {
          events: { stdout: ExecOutput, stderr: ExecOutput },
          end: { type: 'exit', data: ExecExit },
          field: 'stream',
        },
        largeBody: { maxBytes: MAX_BODY_BYTES },
        idempotency: false,
        long: true,
      },
      async ({ scope, params, body, signal, emit }) => {
        const running = await getRunning(db, scope, params.runtime);
        return runCommand(operator, running, body, { signal, emit });
      },
    );
  });
}
