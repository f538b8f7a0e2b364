/** Arrays as PostgreSQL reads them. Written here in one go: a driver that looks at each value's type takes many times as long. */
export type ArrayItem = string | number | boolean | null | undefined;

/** Of what needs no quotes: numbers, booleans, uuids and times. */
export function plainArray<Row>(rows: readonly Row[], read: (row: Row) => ArrayItem): string {
  let array = '{';
  for (const row of rows) array += `${read(row) ?? 'NULL'},`;
  return close(array);
}

export function textArray<Row>(rows: readonly Row[], read: (row: Row) => ArrayItem): string {
  let array = '{';
  for (const row of rows) array += `${quote(read(row))},`;
  return close(array);
}

const close = (array: string) => (array === '{' ? '{}' : `${array.slice(0, -1)}}`);

function quote(item: ArrayItem): string {
  if (item === null || item === undefined) return 'NULL';
  const text = String(item);
  return `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
}
