/** Knows the paths of the API and their methods, for error messages about requests that match no route. */
import type { FastifyInstance } from 'fastify';
import { findMeantName } from '../near-names.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly knownRoutes: KnownRoutes;
  }
}

interface KnownPath {
  /** Undefined for a path parameter. */
  readonly segments: readonly (string | undefined)[];
  /** True when the path ends with `*`, which matches any number of segments. */
  readonly takesRest: boolean;
  readonly methods: Set<string>;
}

export class KnownRoutes {
  readonly #paths = new Map<string, KnownPath>();

  /** Records every route that is added to the server from now on. */
  static collect(app: FastifyInstance): void {
    const known = new KnownRoutes();
    app.decorate('knownRoutes', known);
    app.addHook('onRoute', ({ method, url }) => known.#add(url, [method].flat()));
  }

  #add(url: string, methods: readonly string[]): void {
    const segments = segmentsOf(url).map((segment) => (segment.startsWith(':') ? undefined : segment));
    const takesRest = segments.at(-1) === '*';
    const known = this.#paths.get(url) ?? { segments, takesRest, methods: new Set() };
    this.#paths.set(url, known);
    for (const method of methods) known.methods.add(method);
  }

  /** @returns the methods of a path in alphabetical order; empty for an unknown path */
  methodsAt(path: string): readonly string[] {
    const given = segmentsOf(path);
    const found = [...this.#paths.values()].filter((known) => isAt(known, given));
    return [...new Set(found.flatMap(({ methods }) => Array.from(methods)))].toSorted();
  }

  /** Finds the known path that an unknown one was probably meant to be. */
  findMeant(path: string): string | undefined {
    return variantsOf(path).find((variant) => this.methodsAt(variant).length > 0) ?? this.#findMisspelt(path);
  }

  #findMisspelt(path: string): string | undefined {
    const given = segmentsOf(path);
    for (const { segments } of this.#paths.values()) {
      if (segments.length !== given.length) continue;
      const meant = segments.map((segment, index) => meantSegment(given[index] ?? '', segment));
      if (meant.every((segment) => segment !== undefined)) return `/${meant.join('/')}`;
    }
    return undefined;
  }
}

const segmentsOf = (path: string) => path.replace(/^\//, '').split('/');

function isAt({ segments, takesRest }: KnownPath, given: readonly string[]): boolean {
  if (takesRest ? given.length < segments.length : given.length !== segments.length) return false;
  return segments.every(
    (segment, index) => segment === undefined || segment === '*' || segment === given[index],
  );
}

const meantSegment = (given: string, known: string | undefined) =>
  known === undefined || known === given ? given : findMeantName(given, [known]);

const API = /^\/api\/v1(?=\/)/;
const ORGANIZATION = /^(\/api\/v1\/org\/[^/]+)(\/ws\/[^/]+)?(?=\/)/;

/** Lists the path with common mistakes corrected: a missing or doubled API prefix, and a missing workspace. */
function variantsOf(path: string): readonly string[] {
  const [whole, organization, workspace] = ORGANIZATION.exec(path) ?? [];
  const moved =
    whole !== undefined && `${organization}${workspace ? '' : '/ws/{workspace}'}${path.slice(whole.length)}`;
  const once = path.replace(/^(?:\/api\/v1){2,}/, '/api/v1');
  return [
    ...(API.test(path) ? [] : [`/api/v1${path.replace(/^\/v1(?=\/)/, '')}`]),
    ...(moved ? [moved] : []),
    once,
  ].filter((variant) => variant !== path);
}
