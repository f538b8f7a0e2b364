/** Builds a request's URL from a path template, its values and the query. */

type QueryValue = string | number | boolean | null | undefined;

export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Turns `/org/{org}` and `{org: 'main'}` into `/org/main`. */
export function fillPath(template: string, values: object): string {
  return template.replaceAll(/\{(\w+)\}/g, (_placeholder, name: string) => {
    const value = (values as Record<string, string | undefined>)[name] ?? '';
    // These values would lead to another operation: an empty one disappears from the path, a dotted one moves up.
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`"${name}" must be the id or slug of something, not "${value}".`);
    }
    return encodeURIComponent(value);
  });
}

/** Leaves out undefined and null; a list repeats its parameter. */
export function toQueryString(query: object | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Query)) {
    for (const item of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue]) {
      if (item !== undefined && item !== null) parameters.append(name, String(item));
    }
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}
