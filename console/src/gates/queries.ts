/** The queries of the gate pages. Keys of checks begin with `gate-check` and its ID, so that events find what to update. */
import type { InWorkspace, OneGate, OneGateCheck } from '@drydock/sdk';
import { queryOptions } from '@tanstack/react-query';
import { drydock } from '../api/client.ts';

export const GATES_KEY = 'gates';
export const CHECK_KEY = 'gate-check';
export const PAGE_SIZE = 25;

export const gateListQuery = (where: InWorkspace, page: number) =>
  queryOptions({
    queryKey: [GATES_KEY, where.org, where.workspace, page],
    queryFn: async ({ signal }) => drydock.gates.list(where, { page, page_size: PAGE_SIZE }, { signal }),
    staleTime: 0,
  });

export const gateQuery = (where: OneGate) =>
  queryOptions({
    queryKey: [GATES_KEY, where.org, where.workspace, 'gate', where.gate],
    queryFn: async ({ signal }) => drydock.gates.get(where, { signal }),
    staleTime: 0,
  });

export const checkListQuery = (where: OneGate, page: number) =>
  queryOptions({
    queryKey: [GATES_KEY, where.org, where.workspace, 'gate', where.gate, 'checks', page],
    queryFn: async ({ signal }) =>
      drydock.gates.listChecks(where, { page, page_size: PAGE_SIZE }, { signal }),
    staleTime: 0,
  });

export const checkQuery = (where: OneGateCheck) =>
  queryOptions({
    queryKey: [CHECK_KEY, where.check_id, where.org, where.workspace],
    queryFn: async ({ signal }) => drydock.gates.getCheck(where, { signal }),
    staleTime: 0,
  });
