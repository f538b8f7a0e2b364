/** Finds what a request says and no schema knows: a misspelt parameter is refused, everything else is named in a header. */
import type { FastifyReply } from 'fastify';
import type { Issue } from '../errors.ts';
import { findMeantName } from '../near-names.ts';
import { MAX_UNKNOWN_NAMES, unknownNameFinder } from '../unknown-names.ts';
import type { Operation } from './operations.ts';

export const IGNORED_HEADER = 'drydock-ignored';

/** What other APIs call these parameters: to ignore one would answer another question than was asked. */
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
  readonly issues: readonly Issue[];
  readonly ignored: readonly Place[];
}

const NOTHING: Unknown = { issues: [], ignored: [] };

/** Prepares the search of an operation's requests. */
export function ignoredNameFinder(
  spec: Operation['spec'],
  isOfAnyMethod = false,
): (query: unknown, body: unknown) => Unknown {
  // The query and the body belong to the program behind it.
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
    for (const { path } of (body !== undefined && findInBody?.(body)) || []) ignored.push(['body', ...path]);
    return issues.length + ignored.length === 0 ? NOTHING : { issues, ignored };
  };
}

const notAParameter = (meant: string) => `is not a parameter of this operation; did you mean "${meant}"?`;

/** Names what a body holds, all of which an operation without a body ignores: as much of it as the header has room for. */
function namesOf(body: unknown) {
  const found: { readonly path: readonly string[] }[] = [];
  if (typeof body !== 'object') return found;
  for (const name in body) {
    if (found.length >= MAX_UNKNOWN_NAMES) break;
    found.push({ path: [name] });
  }
  return found;
}

/** Names in the response what the request said in vain. */
export function tellIgnored(reply: FastifyReply, places: readonly Place[]): void {
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
