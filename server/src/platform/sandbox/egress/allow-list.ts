/** Hosts that a sandbox may reach: `example.com`, `*.example.com`, `example.com:8443`. */
import { isIPv4, isIPv6 } from 'node:net';
import { isPublicAddress, toCanonicalAddress } from '../../net/addresses.ts';

export interface HostPattern {
  /** Host name in lower case, without a trailing dot; an IPv6 address without brackets. */
  readonly host: string;
  /** True for a pattern that matches every name below the host, at any depth, but not the host itself. */
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
}

/** Ports of a pattern without a port: HTTP and HTTPS. */
const USUAL_PORTS: readonly number[] = [80, 443];
const FORMS = 'Write a host as example.com, *.example.com or example.com:8443.';

/** @throws {TypeError} with a text that says what is wrong with it and how it is written */
export function parseHostPattern(text: string): HostPattern {
  const authority = splitAuthority(text);
  if (!authority) throw new TypeError(`${FORMS} No scheme, path, user or spaces.`);
  const isWildcard = authority.host.startsWith('*.');
  const host = toHostName(isWildcard ? authority.host.slice(2) : authority.host);
  if (host === undefined) throw new TypeError(`${FORMS} A * stands for whole names, once and at the start.`);
  if (isWildcard && isAddress(host))
    throw new TypeError('A * before an address means nothing: leave it out.');
  if (isWildcard && !host.includes('.')) {
    throw new TypeError(
      `*.${host} would allow a whole top-level domain. Name the domain, such as *.example.${host}.`,
    );
  }
  return { host, isWildcard, ports: authority.port === undefined ? USUAL_PORTS : [authority.port] };
}

/** Returns whether the host belongs to this machine or its network, which no sandbox reaches, whatever its allow-list says. */
const isNeverReached = (host: string) =>
  isAddress(host) ? !isPublicAddress(host) : /(^|\.)localhost$/.test(host);

/** @returns the reason why a new configuration must not contain it */
export function findPatternMistake(text: string): string | undefined {
  try {
    const { host } = parseHostPattern(text);
    return isNeverReached(host)
      ? `${host} is not a public address, and a sandbox reaches public addresses only: leave it out.`
      : undefined;
  } catch (error) {
    return (error as TypeError).message;
  }
}

export interface Destination {
  /** Host in the same form as in a pattern. */
  readonly host: string;
  readonly port: number;
}

/** @returns undefined for a text that is not `host:port` */
export function findDestination(text: string, usualPort?: number): Destination | undefined {
  const authority = splitAuthority(text);
  const host = authority && toHostName(authority.host);
  const port = authority?.port ?? usualPort;
  return host === undefined || port === undefined ? undefined : { host, port };
}

export class AllowList {
  private readonly patterns: readonly HostPattern[];

  /** @throws {TypeError} at the first text that is not a pattern */
  constructor(patterns: readonly string[]) {
    this.patterns = patterns.map(parseHostPattern);
  }

  permits({ host, port }: Destination): boolean {
    return this.patterns.some((pattern) => pattern.ports.includes(port) && isMatch(pattern, host));
  }
}

/** Returns the pattern that allows this destination. */
export function toPattern({ host, port }: Destination): string {
  const name = isIPv6(host) ? `[${host}]` : host;
  return USUAL_PORTS.includes(port) ? name : `${name}:${port}`;
}

function isMatch(pattern: HostPattern, host: string): boolean {
  return pattern.isWildcard ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

function splitAuthority(text: string): { host: string; port: number | undefined } | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/.exec(text);
  if (!match) return undefined;
  const [, host = '', digits] = match;
  if (digits === undefined) return { host, port: undefined };
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host, port } : undefined;
}

/** Normalizes a host, so that the compared name is the one that is connected to. */
function toHostName(text: string): string | undefined {
  if (text.startsWith('[')) {
    const address = text.slice(1, -1);
    return isIPv6(address) ? toCanonicalAddress(address) : undefined;
  }
  if (isIPv4(text)) return text;
  const name = text.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  // Resolvers read a numeric last label as an IPv4 address (127.1, 0x7f.1, 2130706433).
  const isNumeric = /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '');
  return name.length <= 253 && !isNumeric && labels.every(isLabel) ? name : undefined;
}

const isLabel = (label: string) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label);

const isAddress = (host: string) => isIPv4(host) || isIPv6(host);
