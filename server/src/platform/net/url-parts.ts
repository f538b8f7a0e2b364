/** What is needed of an address with every request. `URL` puts each part together anew whenever it is asked for it. */
export interface UrlParts {
  readonly protocol: string;
  /** Without the brackets of an address of IPv6. */
  readonly hostname: string;
  readonly host: string;
  readonly origin: string;
  readonly path: string;
}

const known = new Map<string, UrlParts>();
const MAX_KNOWN = 1_000;

export function partsOf(url: URL): UrlParts {
  const { href } = url;
  const parts = known.get(href);
  if (parts) return parts;
  const { protocol, host, origin, pathname, search } = url;
  const made = {
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    host,
    origin,
    path: pathname + search,
  };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(href, made);
  return made;
}
