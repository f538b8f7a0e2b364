/** Decides whether a sandbox may reach a host, and at which addresses. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isOwnAddress, isPublicAddress } from '../../net/addresses.ts';
import { type AllowList, type Destination, toPattern } from './allow-list.ts';

/** Network functions of the proxy. */
export interface Network {
  /** Resolves all addresses of a name; by default with the system's resolver. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
  /** Filters addresses that may be connected to; by default public ones that do not belong to this machine. */
  readonly isReachable: (address: string) => boolean;
}

export type Decision =
  | { readonly isAllowed: true; readonly addresses: readonly string[] }
  /** @property reason describes the obstacle and the remedy, for the reader in the sandbox */
  | { readonly isAllowed: false; readonly status: 403 | 502; readonly reason: string };

export async function decide(
  destination: Destination,
  allow: AllowList,
  { resolve = resolveBySystem, isReachable = isOutside }: Partial<Network>,
): Promise<Decision> {
  const { host, port } = destination;
  if (!allow.permits(destination)) {
    const reason = `${host}, port ${port}, is not on the allow-list of this sandbox. Add "${toPattern(destination)}" to sandbox.egress_allow in the config of its runtime, and start it again.`;
    return { isAllowed: false, status: 403, reason };
  }
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  if (addresses.length === 0) {
    const reason = `${host} is on the allow-list, but the server finds no address for it. Check the name.`;
    return { isAllowed: false, status: 502, reason };
  }
  const reachable = addresses.filter(isReachable);
  if (reachable.length > 0) return { isAllowed: true, addresses: reachable };
  // The addresses are not part of the message, since they may belong to a private network.
  const reason = `${host} has no public address. A sandbox reaches public addresses only, whatever the allow-list says: name a host that has one.`;
  return { isAllowed: false, status: 403, reason };
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

const isOutside = (address: string) => isPublicAddress(address) && !isOwnAddress(address);
