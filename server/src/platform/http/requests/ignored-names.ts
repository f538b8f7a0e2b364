/** Finds unknown names in a request: a misspelt parameter is refused, all others are listed in a header. */
import type { FastifyReply } from 'fastify';
import type { Issue } from '../../errors.ts';
import { findMeantName } from '../../near-names.ts';
import { MAX_UNKNOWN_NAMES, unknownNameFinder } from '../../unknown-names.ts';
import type { Operation } from '../operations.ts';

export const IGNORED_HEADER = 'drydock-ignored';

/** Names that other APIs use for our parameters. Ignoring one would return something else than the caller asked for. */
const PARAMETER_ALIASES: Readonly<Record<string, readonly string[]>> = {
  q: ['search', 'query'],
  query: ['search', 'q'],
  filter: ['search'],
  limit: ['page_size'],
  page_size: ['limit'],
  per_page: ['limit', 'page_size'],
  pageSize: ['limit', 'page_size'],
  offset: ['cursor', 'page'],
  after: ['cursor'],
  next_cursor: ['cursor'],
  sort: ['sort_by'],
  order_by: ['sort_by'],
  order: ['sort_dir'],
  order_dir: ['sort_dir'],
  sort_order: ['sort_dir'],
  status: ['state'],
  state: ['status'],
};

type Place = Issue['loc'];

interface Unknown {
  /** Issues for misspelt parameters, which are refused. */
  readonly issues: readonly Issue[];
  /** Locations of other unknown names. */
  readonly ignored: readonly Place[];
}

const NOTHING: Unknown = { issues: [], ignored: [] };

/** Prepares the search for one operation. */
export function ignoredNameFinder(
  spec: Operation['spec'],
  isOfAnyMethod = false,
): (query: unknown, body: unknown) => Unknown {
  // Such an operation forwards requests: query and body belong to the program behind it.
  if (isOfAnyMethod) return () => NOTHING;
  const parameters = new Set(Object.keys(spec.query?.shape ?? {}));
  const findInBody = spec.body ? unknownNameFinder(spec.body) : namesOf;
  return (query, body) => {
    const issues: Issue[] = [];
    const ignored: Place[] = [];
    for (const name in query as Record<string, unknown>) {
      if (parameters.has(name)) continue;
      const meant = findMeantName(name, parameters, PARAMETER_ALIASES);
      if (meant === undefined) ignored.push(['query', name]);
      else issues.push({ loc: ['query', name], msg: notAParameter(meant), type: 'unknown_parameter' });
    }
    const inBody = body === undefined ? [] : (findInBody?.(body) ?? []);
    for (const { path } of inBody) ignored.push(['body', ...path]);
    return issues.length + ignored.length === 0 ? NOTHING : { issues, ignored };
  };
}

const notAParameter = (meant: string) => `is not a parameter of this operation; did you mean "${meant}"?`;

/** Lists the contents of a body that the operation ignores as a whole: as much as fits in the header. */
function namesOf(body: unknown) {
  const found: { readonly path: readonly string[] }[] = [];
  if (typeof body !== 'object') return found;
  for (const name in body) {
    if (found.length >= MAX_UNKNOWN_NAMES) break;
    found.push({ path: [name] });
  }
  return found;
}

/** Adds locations to the response header that lists ignored parts. */
export function reportIgnored(reply: FastifyReply, places: readonly Place[]): void {
  if (places.length === 0) return;
  const before = reply.getHeader(IGNORED_HEADER);
  const named = places.slice(0, MAX_UNKNOWN_NAMES).map(toName);
  const all = [...(typeof before === 'string' ? before.split(', ') : []), ...named];
  reply.header(IGNORED_HEADER, [...new Set(all)].slice(0, MAX_UNKNOWN_NAMES).join(', '));
}

const MAX_NAME_LENGTH = 200;

const toName = (place: Place) =>
  place
    .map((step) => encodeURIComponent(String(step).toWellFormed()))
    .join('.')
    .slice(0, MAX_NAME_LENGTH);
