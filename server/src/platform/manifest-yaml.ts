/** Reads a manifest's YAML: only what JSON can express too, and nothing that is disproportionately expensive to parse. */
import { CST, isNode, isScalar, Lexer, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { type ApiError, invalidValue } from './errors.ts';

export const MAX_MANIFEST_BYTES = 256 * 1_024;
/** The parser's time grows with the number of tokens, for some of them faster than linearly. */
const MAX_TOKENS = 50_000;
/** A list takes at least two tokens per item. */
const MAX_VALUES = MAX_TOKENS / 2;
const MAX_DEPTH = 64;
const MAX_ALIASES = 100;
const MAX_JSON_CHARACTERS = 4 * MAX_MANIFEST_BYTES;

export type JsonObject = Readonly<Record<string, unknown>>;
type Path = readonly PropertyKey[];

export interface ManifestText {
  readonly value: JsonObject;
  /** Line of the value at the path, or of the nearest one around it. */
  readonly lineOf: (path: Path) => number;
}

/** @param file its name in the bundle, for error messages */
export function parseManifest(file: string, content: Uint8Array): ManifestText {
  const refuse = (msg: string) => invalidValue(['body', file], msg, 'invalid_yaml');
  if (content.length > MAX_MANIFEST_BYTES) throw refuse(TOO_LONG);
  const text = decode(content);
  if (text === undefined) throw refuse('must be UTF-8');
  const tooMuch = findExcess(text);
  if (tooMuch !== undefined) throw refuse(tooMuch);
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'core',
    resolveKnownTags: false,
    // Duplicates are checked below: the parser's check takes quadratic time.
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  // A warning is an unknown tag.
  const [mistake] = [...document.errors, ...document.warnings];
  if (mistake) throw refuse(`line ${lines.linePos(mistake.pos[0]).line}: ${mistake.message}`);
  const lineAt = (node: unknown) => (isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1);
  checkKeys(document, (msg, node) => refuse(`line ${lineAt(node)}: ${msg}`));
  const value = toValue(() => document.toJS({ maxAliasCount: MAX_ALIASES }), refuse);
  return { value, lineOf: (path) => lineAt(nearest(document, path)) };
}

/**
 * Writes a manifest that was given as a value, within the same limits.
 * @param loc its location in the request
 */
export function writeManifest(value: JsonObject, loc: readonly string[]): string {
  const refuse = (msg: string) => invalidValue(loc, msg);
  const problem = findProblem(value);
  if (problem !== undefined) throw refuse(problem);
  const text = stringify(value);
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES) throw refuse(TOO_LONG);
  const tooMuch = findExcess(text);
  if (tooMuch !== undefined) throw refuse(tooMuch);
  return text;
}

/**
 * Sets a field at the top of a YAML mapping, and leaves the rest with its comments unchanged.
 * @param yaml must be valid
 */
export function setField(yaml: string, name: string, value: unknown): string {
  const document = parseDocument(yaml, { schema: 'core', resolveKnownTags: false });
  document.set(name, value);
  return document.toString({ lineWidth: 0 });
}

type ParsedDocument = ReturnType<typeof parseDocument>;

function decode(content: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
}

const TOO_LONG = `must not be longer than ${MAX_MANIFEST_BYTES} bytes`;
const TOO_MANY_VALUES = 'is too long to be read';
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Finds text that must not reach the parser, whose time grows with the tokens and whose stack grows with the nesting. */
function findExcess(text: string): string | undefined {
  let count = 0;
  let brackets = 0;
  let indicators = 0;
  let isContent = false;
  for (const token of new Lexer().lex(text)) {
    if (++count > MAX_TOKENS) return TOO_MANY_VALUES;
    // Every token after this mark is content, whatever it looks like.
    const type: CST.TokenType | null | undefined = isContent ? undefined : CST.tokenType(token);
    isContent = type === 'scalar';
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets++;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') brackets--;
    else if (type === 'seq-item-ind' || type === 'explicit-key-ind') indicators++;
    else if (type === 'newline') indicators = 0;
    if (brackets + indicators > MAX_DEPTH) return TOO_DEEP;
  }
  return undefined;
}

function checkKeys(document: ParsedDocument, refuse: (msg: string, node: unknown) => ApiError): void {
  visit(document, {
    Map(_key, map) {
      const keys = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key) || typeof key.value !== 'string')
          throw refuse(`the key ${String(key)} must be text; write it in quotes`, key);
        if (keys.has(key.value)) throw refuse(`the key "${key.value}" is there twice`, key);
        keys.add(key.value);
      }
    },
  });
}

const TOO_MANY_ALIASES = 'refers to its own parts too often; write them out';

function toValue(read: () => unknown, refuse: (msg: string) => ApiError): JsonObject {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    const isUnresolved = error instanceof Error && error.message.startsWith('Unresolved alias');
    throw refuse(isUnresolved ? error.message : TOO_MANY_ALIASES);
  }
  const problem = findProblem(value);
  if (problem !== undefined) throw refuse(problem);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse('must be a mapping of keys to values');
  if (JSON.stringify(value).length > MAX_JSON_CHARACTERS) throw refuse(TOO_MANY_ALIASES);
  return value as JsonObject;
}

/** Finds values that JSON or PostgreSQL cannot store, or that are too large. */
function findProblem(root: unknown): string | undefined {
  let count = 0;
  const find = (value: unknown, depth: number): string | undefined => {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    if (++count > MAX_VALUES) return TOO_MANY_VALUES;
    if (typeof value === 'string') return findTextProblem(value);
    if (typeof value === 'number') return findNumberProblem(value);
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, item] of Object.entries(value)) {
      const problem = findTextProblem(key) ?? find(item, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return find(root, 0);
}

function findTextProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold a NUL character';
  return text.isWellFormed() ? undefined : 'must not hold a lone surrogate';
}

function findNumberProblem(value: number): string | undefined {
  if (!Number.isFinite(value)) return `must not hold the number ${value}`;
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  return isExact ? undefined : `holds an integer that is too large, ${value}; write it in quotes`;
}

function nearest(document: ParsedDocument, path: Path): unknown {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (node !== undefined) return node;
  }
  return document.contents;
}
