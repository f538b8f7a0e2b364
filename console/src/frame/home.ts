/** The workspace that this browser has shown last. */
import { drydock } from '../api/client.ts';

const KEY = 'drydock.workspace';

export interface Place {
  readonly org: string;
  readonly workspace: string;
}

export const rememberPlace = ({ org, workspace }: Place): void =>
  localStorage.setItem(KEY, `${org}/${workspace}`);

/** @returns the last workspace if it still exists, else the default one of the first organization */
export async function findHome() {
  const places = await listPlaces();
  const last = localStorage.getItem(KEY);
  const place = places.find(({ org, workspace }) => `${org}/${workspace}` === last) ?? places[0];
  return place ? ({ to: '/o/$org/w/$workspace', params: place } as const) : ({ to: '/welcome' } as const);
}

async function listPlaces(): Promise<Place[]> {
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
