/** The syntax tree of DuckDB's own parser: what is checked is what runs. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { Mistake } from './mistake.ts';

export interface SyntaxNode {
  readonly [key: string]: unknown;
}

interface Serialized {
  readonly error: boolean;
  readonly error_type?: string;
  readonly error_message?: string;
  readonly position?: string;
  readonly statements?: readonly { readonly node: SyntaxNode }[];
}

/**
 * @returns the root of the single SELECT.
 * @throws Mistake
 */
export async function parseSelect(connection: DuckDBConnection, query: string): Promise<SyntaxNode> {
  const { error, error_type, error_message = '', position, statements = [] } = await parse(connection, query);
  if (error && error_type === 'not implemented') {
    throw new Mistake(
      'Only a SELECT can be asked, nothing that changes, sets, loads or describes; a PIVOT lists its values: ON … IN (…).',
    );
  }
  if (error)
    throw new Mistake(toSentence(error_message), position === undefined ? undefined : Number(position));
  const [first] = statements;
  if (!first) throw new Mistake('The query is empty. Write one SELECT.');
  if (statements.length > 1)
    throw new Mistake(
      `There are ${statements.length} statements. Write one SELECT and send the others one by one.`,
    );
  return first.node;
}

/** Parses a condition as printed in a plan; undefined when it cannot be parsed. */
export async function parseExpression(
  connection: DuckDBConnection,
  text: string,
): Promise<SyntaxNode | undefined> {
  const { error, statements = [] } = await parse(connection, `SELECT ${text}`);
  const node = statements[0]?.node;
  const list = node?.select_list as readonly SyntaxNode[] | undefined;
  const [only] = list ?? [];
  const isOne = !error && statements.length === 1 && list?.length === 1;
  const isBare = (node?.from_table as SyntaxNode | undefined)?.type === 'EMPTY' && only?.alias === '';
  return isOne && isBare ? only : undefined;
}

async function parse(connection: DuckDBConnection, text: string): Promise<Serialized> {
  const result = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [text]);
  const tree = String(result.getRows()[0]?.[0]).replaceAll(NO_JSON, ',"value":null}');
  return JSON.parse(tree, keepDigits) as Serialized;
}

/** Invalid JSON that DuckDB writes nevertheless; inside a text its quotes would be escaped. */
const NO_JSON = /,"value":-?(?:Infinity|NaN)\}/gi;

/** Numbers that a double cannot hold stay text. */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
}

const toSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
