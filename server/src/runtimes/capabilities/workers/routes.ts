import type { Db } from '../../../platform/db/connect.ts';
import { workspaceRoutes } from '../../../platform/http/operations.ts';
import type { RuntimeOperator } from '../../operator.ts';
import { BindingParams } from '../schema.ts';
import { getUsedBinding } from '../used-binding.ts';
import { CapabilityWorker, CapabilityWorkerLog, CapabilityWorkers, WorkerParams } from './schema.ts';
import { listStates, readLog, startWorker, stopWorker } from './workers.ts';

const WORKERS = '/runtimes/:runtime/capabilities/:binding_id/workers';

const MAY_READ = { scope: 'runtimes:read', role: 'contributor' } as const;
const MAY_CHANGE = { scope: 'runtimes:write', role: 'contributor', params: WorkerParams } as const;

export function workerRoutes(db: Db, operator: Pick<RuntimeOperator, 'exec'>) {
  return workspaceRoutes('Runtimes', (on) => {
    on.get(
      WORKERS,
      {
        id: 'listCapabilityWorkers',
        summary: 'List the workers of an installed capability, and what they are doing',
        description: 'Of a runtime that is running. Only its owner can.',
        ...MAY_READ,
        params: BindingParams,
        response: CapabilityWorkers,
      },
      async ({ scope, params }) => listStates(operator, await getUsedBinding(db, scope, params)),
    );

    on.get(
      `${WORKERS}/:worker/log`,
      {
        id: 'getCapabilityWorkerLog',
        summary: 'Read what a worker wrote last',
        ...MAY_READ,
        params: WorkerParams,
        response: CapabilityWorkerLog,
      },
      async ({ scope, params }) => ({
        log: await readLog(operator, await getUsedBinding(db, scope, params), params.worker),
      }),
    );

    on.post(
      `${WORKERS}/:worker/start`,
      {
        id: 'startCapabilityWorker',
        summary: 'Start a worker',
        description:
          'In the background of the sandbox, until it is stopped, ends by itself, or the sandbox ends. It is not started again by itself.',
        ...MAY_CHANGE,
        response: CapabilityWorker,
      },
      async ({ scope, params }) => {
        const used = await getUsedBinding(db, scope, params);
        const started = await startWorker(operator, used, params.worker);
        // If the capability was removed concurrently, its workers may have been ended before this one started.
        await getUsedBinding(db, scope, params).catch(async (error: unknown) => {
          await stopWorker(operator, used, params.worker).catch(() => undefined);
          throw error;
        });
        return started;
      },
    );

    on.post(
      `${WORKERS}/:worker/stop`,
      {
        id: 'stopCapabilityWorker',
        summary: 'Stop a worker',
        description:
          'It is asked to end; five seconds later, it and all that it started in its session is killed.',
        ...MAY_CHANGE,
        response: CapabilityWorker,
      },
      async ({ scope, params }) =>
        stopWorker(operator, await getUsedBinding(db, scope, params), params.worker),
    );
  });
}
