import { z } from 'zod';
import type { StartOptions } from '../airt/service.ts';
import { type RouteGroup, workspaceRoutes } from '../platform/http/operations.ts';
import { cancelCheck, getCheck, getFeed, listChecks } from './checks.ts';
import { createCheck } from './create-check.ts';
import {
  CHECK_PATH,
  CHECK_STATES,
  CheckParams,
  GATE_PATH,
  GateCheckListResponse,
  GateCheckRequest,
  GateCheckResponse,
  GateCreateRequest,
  GateListResponse,
  GatePageQuery,
  GateParams,
  GateResponse,
  MAY_CHANGE,
  MAY_READ,
  VERDICTS,
} from './schema.ts';
import { createGate, deleteGate, getGate, listGates, replaceGate } from './store.ts';

const GATE_CHECK_EVENTS = {
  check_end: z
    .object({
      status: z.enum(CHECK_STATES),
      verdict: z.enum(VERDICTS).nullable(),
      error: z.string().nullable(),
    })
    .meta({ id: 'GateCheckEndEvent' }),
};

export const gateRoutes = (options: StartOptions): RouteGroup[] => [
  definitionRoutes(options),
  checkRoutes(options),
];

function definitionRoutes({ db }: StartOptions) {
  return workspaceRoutes('Gates', (on) => {
    on.get(
      '/gates',
      {
        id: 'listGates',
        summary: 'List gates by name, each with its last check',
        ...MAY_READ,
        query: GatePageQuery,
        response: GateListResponse,
      },
      ({ scope, query }) => listGates(db, scope, query),
    );

    on.post(
      '/gates',
      {
        id: 'createGate',
        summary: 'Create a gate: what a version must prove',
        ...MAY_CHANGE,
        body: GateCreateRequest,
        response: GateResponse,
        status: 201,
      },
      ({ scope, body }) => createGate(db, scope, body),
    );

    on.get(
      GATE_PATH,
      { id: 'getGate', summary: 'Get a gate', ...MAY_READ, params: GateParams, response: GateResponse },
      ({ scope, params }) => getGate(db, scope, params.gate),
    );

    on.put(
      GATE_PATH,
      {
        id: 'replaceGate',
        summary: 'Replace a gate',
        description: 'Checks keep the rules that they were created with.',
        ...MAY_CHANGE,
        params: GateParams,
        body: GateCreateRequest,
        response: GateResponse,
      },
      ({ scope, params, body }) => replaceGate(db, scope, params.gate, body),
    );

    on.delete(
      GATE_PATH,
      {
        id: 'deleteGate',
        summary: 'Delete a gate with its checks',
        description: 'The evaluations and assessments of its checks stay.',
        ...MAY_CHANGE,
        params: GateParams,
      },
      ({ scope, params }) => deleteGate(db, scope, params.gate),
    );
  });
}

function checkRoutes(options: StartOptions) {
  const { db } = options;
  return workspaceRoutes('Gates', (on) => {
    on.post(
      `${GATE_PATH}/check`,
      {
        id: 'checkGate',
        summary: 'Check a version of a capability, or a model',
        description:
          'Runs the evaluations and attacks that the rules need. What cannot run is refused now; the verdict comes with the end of the check.',
        ...MAY_CHANGE,
        params: GateParams,
        body: GateCheckRequest,
        response: GateCheckResponse,
        status: 201,
        watched: true,
        long: true,
      },
      ({ scope, params, body, signal }) => createCheck(options, scope, params.gate, body, signal),
    );

    on.get(
      `${GATE_PATH}/checks`,
      {
        id: 'listGateChecks',
        summary: 'List the checks of a gate, newest first',
        ...MAY_READ,
        params: GateParams,
        query: GatePageQuery,
        response: GateCheckListResponse,
      },
      ({ scope, params, query }) => listChecks(db, scope, params.gate, query),
    );

    on.get(
      CHECK_PATH,
      {
        id: 'getGateCheck',
        summary: 'Get a check of a gate',
        ...MAY_READ,
        params: CheckParams,
        response: GateCheckResponse,
      },
      ({ scope, params }) => getCheck(db, scope, params.gate, params.check_id),
    );

    on.post(
      `${CHECK_PATH}/cancel`,
      {
        id: 'cancelGateCheck',
        summary: 'Cancel a check with everything that runs for it',
        ...MAY_CHANGE,
        params: CheckParams,
        response: GateCheckResponse,
      },
      ({ scope, params }) => cancelCheck(db, scope, params.gate, params.check_id),
    );

    on.events(
      `${CHECK_PATH}/events`,
      {
        id: 'streamGateCheckEvents',
        summary: 'Wait for the end of a check',
        ...MAY_READ,
        params: CheckParams,
        events: GATE_CHECK_EVENTS,
      },
      ({ scope, params }) => getFeed(db, scope, params.gate, params.check_id),
    );
  });
}
