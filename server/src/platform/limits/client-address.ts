/** The address that a client's requests are counted by. */
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** A network of IPv6 as a whole, since one client has all addresses of its /64; IPv4 as such, however it is written. */
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

/** All eight. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').flatMap(readGroup));
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** One, or two where the address ends as IPv4 is written, or none beside a leading or trailing `::`. */
function readGroup(text: string): number[] {
  if (text === '') return [];
  if (!text.includes('.')) return [Number.parseInt(text, 16)];
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function bytesOf(group: number): number[] {
  return [group >> 8, group & 255];
}
