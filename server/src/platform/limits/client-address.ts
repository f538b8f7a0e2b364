/** The client address under which requests are counted. */
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Returns an IPv6 address as its network, since one client has all addresses of its /64, and an IPv4 address in one notation. */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const [address = ''] = ip.split('%', 1);
  if (!isIPv6(address)) return ip;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return groups.slice(6).flatMap(bytesOf).join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** Returns all eight groups. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').flatMap(readGroup));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Returns one group, two if the address ends in IPv4 notation, or none beside a leading or trailing `::`. */
function readGroup(text: string): number[] {
  if (text === '') return [];
  if (!text.includes('.')) return [Number.parseInt(text, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function bytesOf(group: number): number[] {
  return [group >> 8, group & 255];
}
