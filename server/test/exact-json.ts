/** JSON whose numbers are preserved exactly, even if a double cannot hold them. */

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** TypeScript does not declare these functions yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

/** Numbers that would lose digits are `JSON.rawJSON`, which `JSON.stringify` writes as they are. */
export function parseExactly(text: string): unknown {
  return parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(value, source) ? rawJSON(source) : value,
  );
}

/** A double has at least fifteen exact digits; fractions may be rounded. */
function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return source.length <= 15 || Number.isSafeInteger(value) || !/^-?\d+$/.test(source);
}
