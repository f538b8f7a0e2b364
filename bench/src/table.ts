/** Prints rows as a table: the first column left-aligned, figures right-aligned. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

export const verdict = (isKept: boolean) => (isKept ? 'PASS' : 'FAIL');
