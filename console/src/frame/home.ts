/** The workspace that this browser has shown last. */
import type { InWorkspace } from '@drydock/sdk';
import { drydock } from '../api/client.ts';

const KEY = 'drydock.workspace';

export const rememberWorkspace = ({ org, workspace }: InWorkspace): void =>
  localStorage.setItem(KEY, `${org}/${workspace}`);

/** @returns the last workspace if it still exists, else the default one of the first organization */
export async function findHome() {
  const all = await listWorkspaces();
  const last = localStorage.getItem(KEY);
  const home = all.find(({ org, workspace }) => `${org}/${workspace}` === last) ?? all[0];
  return home ? ({ to: '/o/$org/w/$workspace', params: home } as const) : ({ to: '/welcome' } as const);
}

async function listWorkspaces(): Promise<InWorkspace[]> {
  const organizations = await drydock.organizations.list();
  const workspaces = await Promise.all(
    organizations.map(async ({ key: org }) => {
      const found = await drydock.workspaces.list({ org });
      const sorted = found.toSorted((a, b) => Number(b.is_default) - Number(a.is_default));
      return sorted.map(({ key: workspace }) => ({ org, workspace }));
    }),
  );
  return workspaces.flat();
}
