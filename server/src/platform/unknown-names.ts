/** Finds the names in a value that its schema does not know, so that nothing a caller sends is silently dropped. */
import type { z } from 'zod';

type Path = readonly (string | number)[];

export interface UnknownName {
  readonly path: Path;
  /** Names that the schema knows at this position. */
  readonly known: Iterable<string>;
}

export type FindUnknownNames = (value: unknown) => readonly UnknownName[];

interface Options {
  /** Whether objects with additional free names, such as manifests, are searched too. */
  readonly inLooseObjects?: boolean;
  /** Names at the top level that code outside the schema reads. */
  readonly alsoKnown?: readonly string[];
  /** Maximum number of names to return. */
  readonly most?: number;
}

/** Bounds the response header that lists the names, and the search itself. */
export const MAX_UNKNOWN_NAMES = 20;

/**
 * Compiles the search for values of one schema.
 * @returns undefined when its values cannot contain unknown names
 */
export function unknownNameFinder(
  schema: z.ZodType,
  { inLooseObjects = false, alsoKnown = [], most = MAX_UNKNOWN_NAMES }: Options = {},
): FindUnknownNames | undefined {
  const search = new SearchCompiler(inLooseObjects, most).compile(schema);
  if (!search) return undefined;
  return (value) => {
    const found: UnknownName[] = [];
    search(value, [], found);
    return alsoKnown.length === 0
      ? found
      : found.filter(({ path }) => path.length > 1 || !alsoKnown.includes(String(path[0])));
  };
}

/** Adds the unknown names of a value to those found. The path is one array for the whole search, since bodies have 100,000 values. */
type Search = (value: unknown, path: (string | number)[], found: UnknownName[]) => void;

function descend(
  search: Search,
  value: unknown,
  step: string | number,
  path: (string | number)[],
  found: UnknownName[],
) {
  path.push(step);
  search(value, path, found);
  path.pop();
}

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, z.core.$ZodType>;
  readonly catchall?: z.core.$ZodType;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly items?: readonly z.core.$ZodType[];
  readonly valueType?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly left?: z.core.$ZodType;
  readonly right?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly out?: z.core.$ZodType;
  readonly getter?: () => z.core.$ZodType;
  readonly values?: readonly unknown[];
}

const definitionOf = (schema: z.core.$ZodType) => schema._zod.def as unknown as Definition;

/** Compiles a schema into a search of its values once: requests are searched without visiting the schema again. */
class SearchCompiler {
  readonly #inLooseObjects: boolean;
  readonly #most: number;
  /** Keyed by schema, since a schema may refer to itself. */
  readonly #compiled = new Map<z.core.$ZodType, Search | undefined>();

  constructor(inLooseObjects: boolean, most: number) {
    this.#inLooseObjects = inLooseObjects;
    this.#most = most;
  }

  compile(schema: z.core.$ZodType): Search | undefined {
    if (this.#compiled.has(schema)) return this.#compiled.get(schema);
    // A recursive schema reaches this search while its own is still being compiled.
    this.#compiled.set(schema, (value, path, found) => this.#compiled.get(schema)?.(value, path, found));
    const search = this.#build(definitionOf(schema));
    this.#compiled.set(schema, search);
    return search;
  }

  #build(definition: Definition): Search | undefined {
    const { shape, element, items, valueType, options, left, right, innerType, getter } = definition;
    if (shape) return this.#ofObject(shape, definition.catchall);
    if (element) return inElements(this.compile(element), this.#most);
    if (items) return inTuple(items.map((item) => this.compile(item)));
    if (valueType) return inMembers(this.compile(valueType));
    if (options) return this.#ofUnion(options);
    if (left && right) return unknownToBoth(this.compile(left), this.compile(right));
    if (innerType) return this.compile(innerType);
    if (getter) return this.compile(getter());
    // The input of a preprocessing step can have any form, so the names of its result are used.
    const side =
      definition.in && definitionOf(definition.in).type === 'transform' ? definition.out : definition.in;
    return side && this.compile(side);
  }

  #ofObject(
    shape: Record<string, z.core.$ZodType>,
    catchall: z.core.$ZodType | undefined,
  ): Search | undefined {
    const keepsOthers = catchall !== undefined && !this.#inLooseObjects;
    const known = new Set(Object.keys(shape));
    const members = Object.entries(shape).flatMap(([name, schema]) => {
      const search = this.compile(schema);
      return search ? [{ name, search }] : [];
    });
    if (keepsOthers && members.length === 0) return undefined;
    return (value, path, found) => {
      if (!isObject(value)) return;
      if (!keepsOthers)
        for (const name in value)
          if (!known.has(name) && found.length < this.#most) found.push({ path: [...path, name], known });
      for (const { name, search } of members)
        if (value[name] !== undefined) descend(search, value[name], name, path, found);
    };
  }

  /** Searches a value as the option with the fewest unknown names, among the options whose literals it matches. */
  #ofUnion(options: readonly z.core.$ZodType[]): Search | undefined {
    const forms = options.map((option) => ({
      search: this.compile(option),
      literals: literalsOf(option),
      isScalar: SCALARS.has(definitionOf(option).type),
    }));
    if (forms.every(({ search }) => search === undefined)) return undefined;
    return (value, path, found) => {
      const results = forms
        .filter(({ literals, isScalar }) => !isScalar && hasLiterals(value, literals))
        .map(({ search }) => {
          const names: UnknownName[] = [];
          search?.(value, path, names);
          return names;
        });
      const [fewest = []] = results.toSorted((a, b) => a.length - b.length);
      found.push(...fewest);
    };
  }
}

/** Types whose values hold no names. Without this filter such an option would always have the fewest unknown names. */
const SCALARS = new Set(['string', 'number', 'boolean', 'literal', 'enum', 'null']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function inElements(search: Search | undefined, most: number): Search | undefined {
  return (
    search &&
    ((value, path, found) => {
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries()) {
        if (found.length >= most) return;
        descend(search, item, index, path, found);
      }
    })
  );
}

function inTuple(searches: readonly (Search | undefined)[]): Search | undefined {
  if (searches.every((search) => search === undefined)) return undefined;
  return (value, path, found) => {
    if (Array.isArray(value))
      for (const [index, search] of searches.entries())
        if (search) descend(search, value[index], index, path, found);
  };
}

function inMembers(search: Search | undefined): Search | undefined {
  return (
    search &&
    ((value, path, found) => {
      if (isObject(value))
        for (const [name, member] of Object.entries(value)) descend(search, member, name, path, found);
    })
  );
}

/** A name is unknown to an intersection only if both sides do not know it. */
function unknownToBoth(left: Search | undefined, right: Search | undefined): Search | undefined {
  if (!left || !right) return undefined;
  return (value, path, found) => {
    const [ofLeft, ofRight]: [UnknownName[], UnknownName[]] = [[], []];
    left(value, path, ofLeft);
    right(value, path, ofRight);
    const places = new Set(ofRight.map((name) => JSON.stringify(name.path)));
    found.push(...ofLeft.filter((name) => places.has(JSON.stringify(name.path))));
  };
}

/** Finds the members of an object schema that can only have certain values, such as a discriminator. */
function literalsOf(
  option: z.core.$ZodType,
): readonly (readonly [name: string, values: readonly unknown[]])[] {
  const { shape = {} } = definitionOf(option);
  return Object.entries(shape).flatMap(([name, schema]) => {
    const { type, values } = definitionOf(schema);
    return type === 'literal' && values ? [[name, values] as const] : [];
  });
}

const hasLiterals = (value: unknown, literals: ReturnType<typeof literalsOf>) =>
  !isObject(value) || literals.every(([name, values]) => values.includes(value[name]));
