import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { type Emit as EmitEvent, workspaceRoutes } from '../../platform/http/operations.ts';
import { getOwnTarget, getRuntime } from '../lookup.ts';
import type { Emit, RuntimeOperator, Target } from '../operator.ts';
import { Runtime, RuntimeParams, StartRequest } from '../schema.ts';
import { CHANGE_PROGRESS, KeepAliveRequest, KeepAliveResponse } from './schema.ts';

interface ChangeCall {
  readonly scope: WorkspaceScope;
  readonly params: { readonly runtime: string };
  readonly emit: EmitEvent | undefined;
}

type Transition = (target: Target, emit: Emit | undefined) => Promise<void>;

const OPERATE = { scope: 'runtimes:write', role: 'contributor', params: RuntimeParams } as const;

export const operationRoutes = (db: Db, operator: RuntimeOperator) => [
  changeRoutes(db, operator),
  ownerRoutes(db, operator),
];

function changeRoutes(db: Db, operator: RuntimeOperator) {
  /** Returns the runtime after the change. */
  const change = async ({ scope, params, emit }: ChangeCall, move: Transition) => {
    const target = await getOwnTarget(db, scope, params.runtime);
    await move(target, emit && ((step) => void emit('progress', step)));
    return getRuntime(db, scope, target.runtimeId);
  };

  return workspaceRoutes('Runtimes', (on) => {
    on.post(
      '/runtimes/:runtime/start',
      {
        ...OPERATE,
        id: 'startRuntime',
        summary: 'Start a runtime that is idle',
        description:
          'In a new sandbox, by its configuration as it is now, on the disk that the last one left.',
        body: StartRequest.prefault({}),
        response: Runtime,
        watched: CHANGE_PROGRESS,
      },
      (call) => change(call, (target, emit) => operator.start(target, call.body, emit)),
    );

    on.post(
      '/runtimes/:runtime/pause',
      {
        ...OPERATE,
        id: 'pauseRuntime',
        summary: 'Pause a runtime that is running',
        description: 'Its processes and their memory are kept; time in which it is paused costs nothing.',
        response: Runtime,
        watched: CHANGE_PROGRESS,
      },
      (call) => change(call, (target, emit) => operator.pause(target, 'user', emit)),
    );

    on.post(
      '/runtimes/:runtime/resume',
      {
        ...OPERATE,
        id: 'resumeRuntime',
        summary: 'Resume a runtime that is paused',
        response: Runtime,
        watched: CHANGE_PROGRESS,
      },
      (call) => change(call, (target, emit) => operator.resume(target, emit)),
    );

    on.post(
      '/runtimes/:runtime/reset',
      {
        ...OPERATE,
        id: 'resetRuntime',
        summary: 'Reset a runtime',
        description: 'Ends its sandbox and deletes what is on its disk: the next start begins anew.',
        response: Runtime,
        watched: CHANGE_PROGRESS,
      },
      (call) => change(call, (target, emit) => operator.reset(target, emit)),
    );
  });
}

function ownerRoutes(db: Db, operator: RuntimeOperator) {
  return workspaceRoutes('Runtimes', (on) => {
    on.post(
      '/runtimes/:runtime/keepalive',
      {
        ...OPERATE,
        id: 'keepRuntimeAlive',
        summary: 'Let a runtime that is running expire later',
        body: KeepAliveRequest,
        response: KeepAliveResponse,
      },
      async ({ scope, params, body }) => {
        const target = await getOwnTarget(db, scope, params.runtime);
        return { expires_at: await operator.keepAlive(target, body.extend_seconds) };
      },
    );

    on.delete(
      '/runtimes/:runtime',
      {
        ...OPERATE,
        id: 'deleteRuntime',
        summary: 'Delete a runtime with its disk',
        description: 'In any state. Only its owner can.',
      },
      async ({ scope, params }) => operator.delete(await getOwnTarget(db, scope, params.runtime)),
    );
  });
}
