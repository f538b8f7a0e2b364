import { parseSync } from 'oxc-parser';

export interface FunctionLength {
  readonly file: string;
  readonly name: string;
  readonly lines: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Returns every function of a file, including nested ones, with its number of lines. */
export function functionLengths(file: string, text: string): FunctionLength[] {
  const lengths: FunctionLength[] = [];
  const visit = (node: Node, name: string): void => {
    const own = nameOf(node) ?? name;
    if (FUNCTIONS.has(node.type)) {
      lengths.push({ file, name: own, lines: text.slice(node.start, node.end).split('\n').length });
    }
    for (const child of Object.values(node)) {
      for (const item of Array.isArray(child) ? child : [child]) if (isNode(item)) visit(item, own);
    }
  };
  visit(parseSync(file, text).program as unknown as Node, file);
  return lengths;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

function nameOf(node: Node): string | undefined {
  const named = (node.id ?? node.key) as { name?: string } | null | undefined;
  return named?.name;
}
