/**
 * Derives the type of a column from all of its values: one that holds each of them exactly, or JSON when no other does. Text stays text
 * even when it looks like a date, which would be written differently.
 */

export const MAX_COLUMNS = 1000;
/** Deeper values become JSON: they are rarely queried, and every level costs. */
const MAX_TYPED_DEPTH = 16;
/** Limit for all columns together, so that the description of a file cannot exceed the file. */
const MAX_NODES = 10_000;
const MAX_FIELDS = 200;

const BOOLEAN = 1;
const INTEGER = 2;
const DOUBLE = 4;
const TEXT = 8;
const LIST = 16;
const OBJECT = 32;
/** Holds a value that only JSON can represent. */
const OPAQUE = 64;

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
/** Maximum of DECIMAL(38,0). HUGEINT would hold little more, and becomes a double in Parquet. */
const MAX_DECIMAL = 10n ** 38n - 1n;
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
/** Integers with this many digits are always safe. */
const SAFE_DIGITS = 15;

export interface Field {
  readonly name: string;
  readonly kinds: ValueKinds;
  /** Number of the last object that contained the field. */
  seenIn: number;
}

export class NodeBudget {
  left = MAX_NODES;
}

/** Kinds of values seen at one position of the rows. */
export class ValueKinds {
  readonly #budget: NodeBudget;
  readonly #depth: number;
  #seen = 0;
  #min = 0n;
  #max = 0n;
  #hasUnsafe = false;
  #items: ValueKinds | undefined;
  #fields: Field[] = [];
  readonly #fieldsByName = new Map<string, Field>();
  readonly #foldedNames = new Set<string>();

  constructor(budget: NodeBudget, depth = 0) {
    this.#budget = budget;
    this.#depth = depth;
    budget.left--;
  }

  get fields(): readonly Field[] {
    return this.#fields;
  }

  /** True when the inner structure no longer matters. */
  get isOpaque(): boolean {
    return (this.#seen & OPAQUE) !== 0;
  }

  addBoolean(): void {
    this.#seen |= BOOLEAN;
  }

  addText(): void {
    this.#seen |= TEXT;
  }

  addOpaque(): void {
    this.#seen |= OPAQUE;
  }

  /** @param text without a fraction or an exponent */
  addInteger(text: string): void {
    this.#seen |= INTEGER;
    if (text.length <= SAFE_DIGITS) {
      if (text.startsWith('-') && this.#min === 0n) this.#min = -1n;
      return;
    }
    const value = BigInt(text);
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (value > MAX_SAFE || value < -MAX_SAFE) this.#hasUnsafe = true;
  }

  /** @param text of a number with a fraction or an exponent */
  addDouble(text: string): void {
    this.#seen |= isHeldByDouble(text) ? DOUBLE : OPAQUE;
  }

  /** @returns the kinds of its items */
  addList(): ValueKinds | undefined {
    this.#seen |= LIST;
    this.#items ??= this.#makeInner();
    return this.#items;
  }

  addObject(): void {
    this.#seen |= OBJECT;
    if (this.#depth >= MAX_TYPED_DEPTH) this.#seen |= OPAQUE;
  }

  findField(name: string): Field | undefined {
    return this.#fieldsByName.get(name);
  }

  /** @returns undefined when the name cannot be a field, which turns the value into JSON */
  addField(name: string): Field | undefined {
    const isFull = this.#depth > 0 && this.#fields.length >= MAX_FIELDS;
    if (isFull || !isFieldName(name) || this.hasFolded(name)) this.#seen |= OPAQUE;
    const kinds = this.isOpaque ? undefined : this.#makeInner();
    if (!kinds) return undefined;
    const field = { name, kinds, seenIn: 0 };
    this.#fields.push(field);
    this.#fieldsByName.set(name, field);
    this.#foldedNames.add(foldCase(name));
    return field;
  }

  /** Returns whether a field with this name exists, ignoring case. */
  hasFolded(name: string): boolean {
    return this.#foldedNames.has(foldCase(name));
  }

  /** @returns undefined when the description grows too large, which turns the value into JSON */
  #makeInner(): ValueKinds | undefined {
    const isColumn = this.#depth === 0;
    if (isColumn || (this.#budget.left > 0 && this.#depth < MAX_TYPED_DEPTH)) {
      return new ValueKinds(this.#budget, this.#depth + 1);
    }
    this.#seen |= OPAQUE;
    return undefined;
  }

  toType(): string {
    switch (this.#seen) {
      case BOOLEAN:
        return 'BOOLEAN';
      case TEXT:
        return 'VARCHAR';
      case INTEGER:
        return this.#toIntegerType();
      case DOUBLE:
        return 'DOUBLE';
      case INTEGER | DOUBLE:
        return this.#hasUnsafe ? 'JSON' : 'DOUBLE';
      case LIST:
        return `${this.#items?.toType() ?? 'JSON'}[]`;
      case OBJECT:
        return this.#fields.length === 0 ? 'JSON' : this.#toStructType();
      default:
        return 'JSON';
    }
  }

  #toIntegerType(): string {
    if (this.#min >= MIN_INT64 && this.#max <= MAX_INT64) return 'BIGINT';
    if (this.#min === 0n && this.#max <= MAX_UINT64) return 'UBIGINT';
    return this.#min >= -MAX_DECIMAL && this.#max <= MAX_DECIMAL ? 'DECIMAL(38,0)' : 'JSON';
  }

  #toStructType(): string {
    const fields = this.#fields.map(({ name, kinds }) => `"${name.replaceAll('"', '""')}" ${kinds.toType()}`);
    return `STRUCT(${fields.join(', ')})`;
  }
}

/** DuckDB treats names as equal that differ only in the case of A to Z. */
export const foldCase = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const isFieldName = (name: string) => name !== '' && !name.includes('\0');

/** Excludes infinity, and values that would be rounded to zero. Digits beyond the seventeenth are ignored. */
function isHeldByDouble(text: string): boolean {
  const value = Number(text);
  if (value === 0) return !/[1-9]/.test(text.replace(/[eE].*/, ''));
  return Number.isFinite(value);
}
