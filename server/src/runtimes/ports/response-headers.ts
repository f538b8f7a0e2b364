/**
 * Filters the headers of a response from inside a sandbox: it is served from this origin, but anyone may have written the program. It must
 * not act for the origin, be trusted by it, or leave anything in a browser.
 */
import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import { ApiError } from '../../platform/errors.ts';
import { namedByConnection, type RawHeaders } from './request-headers.ts';

const KEPT_BACK = new Set([
  // Hop-by-hop headers.
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Headers that apply to the whole origin.
  'alt-svc',
  'accept-ch',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'nel',
  'observe-browsing-topics',
  'origin-agent-cluster',
  'origin-trial',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'sec-session-challenge',
  'sec-session-registration',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'speculation-rules',
  'strict-transport-security',
  'timing-allow-origin',
  'use-as-dictionary',
  // A browser would ask for credentials of this origin.
  'authentication-info',
  'www-authenticate',
  // Set again below.
  'content-type-options',
  'referrer-policy',
  'x-content-type-options',
  'x-drydock-port',
  'x-request-id',
  // Instructions to a web server in front of this one.
  'x-lighttpd-send-file',
  'x-reproxy-url',
  'x-sendfile',
]);
const KEPT_BACK_PREFIXES = ['access-control-', 'attribution-reporting-', 'proxy-', 'x-accel-'];

const isKeptBack = (name: string) =>
  KEPT_BACK.has(name) || KEPT_BACK_PREFIXES.some((prefix) => name.startsWith(prefix));

/**
 * Omits `allow-same-origin`, so that a page has an opaque origin without access to ours. Sent in addition to the program's own policy, so
 * that it can only restrict.
 */
const SANDBOX = 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads';

export interface ResponseOrigin {
  readonly requestId: string;
  readonly port: number;
  /** External path of the root of the port. */
  readonly prefix: string;
  /** Path of the request below it. */
  readonly rest: string;
}

export function toOutsideHeaders(response: IncomingMessage, place: ResponseOrigin): RawHeaders {
  const { rawHeaders, headers: read, statusCode } = response;
  const named = namedByConnection(read.connection);
  const headers: RawHeaders = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (isKeptBack(lower) || named.has(lower)) continue;
    if (lower === 'content-length' && statusCode === 204) continue;
    headers.push(name, lower === 'location' ? toOutsideLocation(value, place) : checked(name, value));
  }
  headers.push('Content-Security-Policy', SANDBOX);
  headers.push('X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer');
  headers.push('X-Drydock-Port', String(place.port), 'X-Request-Id', place.requestId);
  if (read['cache-control'] === undefined) headers.push('Cache-Control', 'no-store');
  if (read['content-type']?.startsWith('text/event-stream')) headers.push('X-Accel-Buffering', 'no');
  return headers;
}

function checked(name: string, value: string): string {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return value;
  } catch (cause) {
    throw new ApiError(
      'bad_gateway_error',
      'The program at the port sent a response with an invalid header.',
      {
        cause,
      },
    );
  }
}

const LOOPBACKS = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]']);

/** Maps a redirect of a program that does not know its external path. */
function toOutsideLocation(location: string, place: ResponseOrigin): string {
  const { prefix, port } = place;
  const value = checked('Location', location);
  const url = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  if (url) {
    const isOther = Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port;
    return isOther || !LOOPBACKS.has(url.hostname) ? value : prefix + toPath(url);
  }
  if (/^([a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(value) && !/^https?:/i.test(value)) return value;
  const isRooted = value.startsWith('/');
  const isOutside = value === prefix || value.startsWith(`${prefix}/`) || value.startsWith(`${prefix}?`);
  const outside = isRooted && !isOutside ? prefix + value : value;
  return staysBelow(outside, place)
    ? outside
    : climbNoHigher(isOutside ? value.slice(prefix.length) : value, place);
}

const toPath = ({ pathname, search, hash }: URL) => pathname + search + hash;

/** Resolves like a browser, where `..` would lead out of the root of the port. */
function staysBelow(location: string, { prefix, rest }: ResponseOrigin): boolean {
  const found = URL.parse(location, `http://outside${prefix}${rest}`);
  return found?.host === 'outside' && (found.pathname === prefix || found.pathname.startsWith(`${prefix}/`));
}

function climbNoHigher(location: string, { prefix, rest }: ResponseOrigin): string {
  const found = URL.parse(location.replace(/^https?:/i, ''), `http://inside${rest}`);
  return found?.host === 'inside' ? prefix + toPath(found) : `${prefix}/`;
}
