/** Reads the query of an address, which holds the state of a page. Values of the wrong type are ignored. */

type Search = Readonly<Record<string, unknown>>;

export function readText(search: Search, key: string): string | undefined {
  const value = search[key];
  return typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : undefined;
}

export function readList(search: Search, key: string): readonly string[] | undefined {
  const value = search[key];
  const list = (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
  return list.length > 0 ? list : undefined;
}

const MAX_PAGE = 100_000;

/** The number of a page of a list. */
export function readPage(search: Search): number | undefined {
  const page = readNumber(search, 'page');
  return page !== undefined && Number.isInteger(page) && page >= 1 && page <= MAX_PAGE ? page : undefined;
}

export function readNumber(search: Search, key: string): number | undefined {
  const value = Number(search[key]);
  return search[key] !== undefined && Number.isFinite(value) ? value : undefined;
}

export function readOneOf<Value extends string>(
  search: Search,
  key: string,
  values: readonly Value[],
): Value | undefined {
  return values.find((value) => value === search[key]);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
