/** Converts text to what PostgreSQL can store, for content that is accepted unchecked: unsupported characters become U+FFFD. */

export const toStorableText = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Converts every text within a JSON value, including keys. Values that need no change are not copied. */
export function toStorable<Value>(value: Value): Value;
export function toStorable(value: unknown): unknown {
  return isStorable(value) ? value : replaceUnstorable(value);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  for (const key in value) {
    if (!isStorable(key) || !isStorable((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function replaceUnstorable(value: unknown): unknown {
  if (typeof value === 'string') return toStorableText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => replaceUnstorable(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [toStorableText(key), replaceUnstorable(item)]),
  );
}
