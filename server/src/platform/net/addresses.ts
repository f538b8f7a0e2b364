/** Decides whether an address belongs to the public internet, in any notation. */
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Ranges outside the public internet (RFC 6890 and its registry), and ranges that clouds use internally. */
const OTHER_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // between a provider and its customers
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the host below a virtual machine of Azure
  '169.254.0.0/16', // link-local, and the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocols
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, reserved, broadcast
].map((text) => toRange(text, toIPv4Bytes));

const GLOBAL_IPV6 = toRange('2000::/3', toIPv6Bytes);

/** Ranges within the global unicast range that are not public. */
const OTHER_IPV6 = [
  '2001::/23', // protocols, including Teredo
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map((text) => toRange(text, toIPv6Bytes));

/** IPv6 ranges that embed an IPv4 address, and the offset of that address. */
const EMBEDDINGS = [
  { range: toRange('::ffff:0:0/96', toIPv6Bytes), at: 12 }, // mapped
  { range: toRange('64:ff9b::/96', toIPv6Bytes), at: 12 }, // NAT64
  { range: toRange('2002::/16', toIPv6Bytes), at: 2 }, // 6to4
];

/** Returns false also for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicIPv4(toIPv4Bytes(address));
  // A zone (fe80::1%eth0) has a meaning on this machine only.
  if (!isIPv6(address) || address.includes('%')) return false;
  const bytes = toIPv6Bytes(address);
  const embedding = EMBEDDINGS.find(({ range }) => isIn(bytes, range));
  if (embedding) return isPublicIPv4(bytes.slice(embedding.at, embedding.at + 4));
  return isIn(bytes, GLOBAL_IPV6) && !OTHER_IPV6.some((range) => isIn(bytes, range));
}

/** Whether the address belongs to this machine: a listener on it can be reached from here past any firewall. */
export function isOwnAddress(address: string): boolean {
  const canonical = toCanonicalAddress(address);
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own.some((entry) => toCanonicalAddress(entry.address) === canonical);
}

/** Returns one spelling for each address; a mapped IPv4 address becomes the IPv4 address. */
export function toCanonicalAddress(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const bytes = toIPv6Bytes(plain);
  const mapped = EMBEDDINGS[0];
  if (mapped && isIn(bytes, mapped.range)) return bytes.slice(mapped.at).join('.');
  return new URL(`http://[${plain}]/`).hostname.slice(1, -1);
}

interface Range {
  readonly bytes: readonly number[];
  readonly bits: number;
}

function toRange(text: string, toBytes: (address: string) => number[]): Range {
  const [address = '', bits = ''] = text.split('/');
  return { bytes: toBytes(address), bits: Number(bits) };
}

function isIn(bytes: readonly number[], range: Range): boolean {
  return range.bytes.every((byte, n) => {
    const bits = Math.min(8, Math.max(0, range.bits - 8 * n));
    const mask = (0xff << (8 - bits)) & 0xff;
    return ((bytes[n] ?? 0) & mask) === (byte & mask);
  });
}

const isPublicIPv4 = (bytes: readonly number[]) => !OTHER_IPV4.some((range) => isIn(bytes, range));

function toIPv4Bytes(address: string): number[] {
  return address.split('.').map(Number);
}

/** @param address an address that `isIPv6` accepts, without a zone */
function toIPv6Bytes(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = '', tail] = hex.split('::');
  const groupsOf = (text = '') =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...gap, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

/** Host names that never belong to the public internet. */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * @returns whether the host may be in the public internet. `GuardedClient` checks the address that a name resolves to at each request,
 * since it may change.
 */
export function isPublicUrl(url: string): boolean {
  // `URL` writes every spelling of an IPv4 address, such as hexadecimal or shortened ones, as four decimal numbers.
  const host = new URL(url).hostname.replace(/\.+$/, '');
  const address = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0) return isPublicAddress(address);
  return host.includes('.') && !PRIVATE_NAME.test(host);
}
