/** Texts of users in Markdown: nothing in them is taken for Markdown or HTML. */
import type { Cell, Fact, Table } from '../report-content.ts';

/** Characters that begin emphasis, code, links, HTML, tables or mathematics, and the @ of addresses. */
const SPECIAL = /[\\`*_[\]<>&|~#!$@{}]/g;
/** What makes a link of a plain address: `https://`, `www.`, `mailto:`. */
const ADDRESS = /:(?=\/\/)|(?<=mailto|xmpp):|(?<=www)\./gi;
// oxlint-disable-next-line no-control-regex -- control characters are what it replaces
const BREAKS = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;

/** One line of plain text. */
export const inline = (text: string) =>
  text.replace(BREAKS, ' ').trim().replace(SPECIAL, String.raw`\$&`).replace(ADDRESS, String.raw`\$&`);

/** A block that shows the text as it is. Its fence is longer than any run of backticks in the text. */
export function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}text\n${text}\n${marks}`;
}

const toCell = (cell: Cell) =>
  typeof cell === 'string' ? inline(cell) : `[${inline(cell.text)}](<${cell.url}>)`;

export function table({ columns, rows }: Table): string {
  if (rows.length === 0) return 'None.';
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map((row) => line(row.map(toCell)))].join(
    '\n',
  );
}

export const facts = (given: readonly Fact[]) =>
  given.map(([name, value]) => `- **${name}:** ${inline(value)}`).join('\n');
