/** Checks that a SELECT only uses the given tables: no other table, no function that reaches beyond its arguments. */

import { findNearName } from '../../../near-names.ts';
import { isAllowedFunction, TABLE_FUNCTIONS } from './function-names.ts';
import { Mistake } from './mistake.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const EXPRESSIONS = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
  'POSITIONAL_REFERENCE',
  'STAR',
  'SUBQUERY',
  'TYPE',
  'WINDOW',
]);
const TABLES = new Set([
  'BASE_TABLE',
  'EMPTY',
  'EXPRESSION_LIST',
  'JOIN',
  'PIVOT',
  'SUBQUERY',
  'TABLE_FUNCTION',
]);
const QUERIES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE']);
/** Schemas that the parser uses for its own functions. */
const SCHEMAS = new Set(['', 'main', 'pg_catalog']);

type Names = ReadonlySet<string>;

/** @throws Mistake */
export function checkStatement(root: SyntaxNode, tables: readonly string[]): void {
  const visit = (value: unknown, names: Names): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, names);
    else if (typeof value === 'object' && value !== null) visitNode(value as SyntaxNode, names);
  };
  const visitNode = (node: SyntaxNode, outer: Names): void => {
    let names = outer;
    // Each CTE sees those before it; its own name and later ones would be resolved in DuckDB's catalog.
    for (const { key, value } of ctesOf(node)) {
      visit(value, names);
      names = withName(names, key);
    }
    if ('class' in node) checkExpression(node);
    else if ('cte_map' in node) checkKind(node, QUERIES);
    else if ('sample' in node && 'alias' in node) checkTable(node, tables, names);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'cte_map') continue;
      // Skips constants, and names of table functions, which were checked before.
      if (key === 'value' && node.class === 'CONSTANT') continue;
      if (key === 'function' && node.type === 'TABLE_FUNCTION') visit((value as SyntaxNode).children, names);
      else visit(value, key === knowsItself(node) ? withName(names, String(node.cte_name)) : names);
    }
  };
  visit(root, new Set());
}

interface Cte {
  readonly key: string;
  readonly value: SyntaxNode;
}

const ctesOf = ({ cte_map }: SyntaxNode) =>
  (cte_map as { readonly map?: readonly Cte[] } | undefined)?.map ?? [];

const withName = (names: Names, name: string): Names => new Set([...names, name.toLowerCase()]);

/** Returns the part of a recursive query in which its own name is defined. */
function knowsItself({ type, cte_name }: SyntaxNode): string | undefined {
  if (typeof cte_name !== 'string') return undefined;
  return type === 'RECURSIVE_CTE_NODE' ? 'right' : 'child';
}

function checkExpression(node: SyntaxNode): void {
  if (node.class === 'PARAMETER')
    throw new Mistake('The query has a parameter (?, $1). Write the value itself.', placeIn(node));
  if (!EXPRESSIONS.has(String(node.class)))
    throw new Mistake(`${String(node.class)} cannot be used here. Write it otherwise.`, placeIn(node));
  if (typeof node.function_name === 'string') checkFunction(node, isAllowedFunction);
}

function checkFunction(node: SyntaxNode, isAllowed: (name: string) => boolean): void {
  const name = String(node.function_name).toLowerCase();
  const isOurs = SCHEMAS.has(String(node.schema)) && (node.catalog === '' || node.catalog === 'system');
  if (!isOurs || !isAllowed(name)) {
    throw new Mistake(
      `The function ${name} cannot be used here. Take one that computes from the values it is given.`,
      placeIn(node),
    );
  }
}

function checkTable(node: SyntaxNode, tables: readonly string[], names: Names): void {
  if (node.type === 'SHOW_REF')
    throw new Mistake(
      'SHOW, DESCRIBE and SUMMARIZE cannot be used. The schema of the query lists tables and columns.',
      placeIn(node),
    );
  checkKind(node, TABLES);
  if (node.type === 'TABLE_FUNCTION')
    checkFunction(node.function as SyntaxNode, (name) => TABLE_FUNCTIONS.has(name));
  if (node.type !== 'BASE_TABLE') return;
  const name = String(node.table_name);
  if (node.schema_name !== '' || node.catalog_name !== '')
    throw new Mistake(`Tables have no schema here: write ${name} alone.`, placeIn(node));
  if (node.at_clause) throw new Mistake('There is no AT: tables are as of now.', placeIn(node));
  const folded = name.toLowerCase();
  if (names.has(folded) || tables.some((table) => table.toLowerCase() === folded)) return;
  const near = findNearName(name, tables);
  throw new Mistake(
    `There is no table ${JSON.stringify(name)}. ${near === undefined ? `The tables are ${tables.join(', ')}` : `Did you mean ${near}?`}`.replace(
      /(?<![.?])$/,
      '.',
    ),
    placeIn(node),
  );
}

function checkKind(node: SyntaxNode, known: ReadonlySet<string>): void {
  if (!known.has(String(node.type)))
    throw new Mistake(`${String(node.type)} cannot be used here. Write it otherwise.`, placeIn(node));
}

/** DuckDB writes a missing location as the largest number. */
const placeIn = ({ query_location }: SyntaxNode) =>
  typeof query_location === 'number' ? query_location : undefined;
