/** Splits the request target into our part and the part for the program, exactly as sent: neither decoded nor normalized. */

/** `/api/v1/org/{org}/ws/{workspace}/runtimes/{runtime}/ports/{port}` */
const OWN_SEGMENTS = 10;
/** The origin of an absolute URL, as the router parses it. */
const ORIGIN = /^https?:\/\/[^/]*/i;

export interface PortTarget {
  /** Path up to the port. */
  readonly prefix: string;
  /** Starts with a slash. */
  readonly rest: string;
}

export function splitTarget(url: string): PortTarget {
  const target = url.replace(ORIGIN, '');
  const end = target.search(/[?#]/);
  const pathLength = end < 0 ? target.length : end;
  let at = 0;
  for (let segment = 0; segment < OWN_SEGMENTS && at >= 0; segment += 1) at = target.indexOf('/', at + 1);
  const prefixLength = at < 0 || at > pathLength ? pathLength : at;
  const rest = target.slice(prefixLength);
  return { prefix: target.slice(0, prefixLength), rest: rest.startsWith('/') ? rest : `/${rest}` };
}
