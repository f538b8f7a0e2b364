/**
 * A table with keyboard navigation: arrow keys move between rows, Space selects a row, and Enter opens it. A click selects a row and a
 * double click opens it; with `opensOnClick`, for lists without a side panel, a click opens it.
 */
import { Box, Table } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';

export interface Column<Row> {
  readonly key: string;
  readonly label: string;
  readonly render: (row: Row) => ReactNode;
  readonly align?: 'left' | 'right';
  readonly width?: number | string;
  /** The column sorts by this key when its header is clicked. */
  readonly sortKey?: string;
}

interface Sort {
  readonly by: string | undefined;
  readonly direction: 'asc' | 'desc';
  readonly onChange: (by: string, direction: 'asc' | 'desc') => void;
}

interface ListTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly selected?: string | undefined;
  readonly onSelect: (key: string) => void;
  readonly onOpen: (key: string) => void;
  readonly sort?: Sort;
  readonly opensOnClick?: boolean;
  /** In a narrower window, the table scrolls. */
  readonly minWidth?: number;
}

export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, columns, rows, keyOf, selected, onSelect, onOpen, sort } = props;
  const { opensOnClick = false, minWidth = 600 } = props;
  const current = rows.some((row) => keyOf(row) === selected) ? selected : rows[0] && keyOf(rows[0]);

  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, index: number) => {
    const row = rows[index];
    if (!row || event.target !== event.currentTarget) return;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target !== undefined) {
      const next = rows[target];
      event.preventDefault();
      if (!next) return;
      onSelect(keyOf(next));
      (event.currentTarget.parentElement?.children[target] as HTMLElement | undefined)?.focus();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      onOpen(keyOf(row));
    } else if (event.key === ' ') {
      event.preventDefault();
      onSelect(keyOf(row));
    }
  };

  return (
    <Table.ScrollContainer minWidth={minWidth} type="native">
      <Table highlightOnHover verticalSpacing={6} aria-label={label} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} sort={sort} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => {
            const key = keyOf(row);
            return (
              <Table.Tr
                key={key}
                tabIndex={key === current ? 0 : -1}
                aria-selected={key === selected}
                bg={key === selected ? 'var(--mantine-primary-color-light)' : undefined}
                style={{ cursor: 'pointer' }}
                onClick={() => (opensOnClick ? onOpen : onSelect)(key)}
                onDoubleClick={() => onOpen(key)}
                onKeyDown={(event) => onKeyDown(event, index)}
              >
                {columns.map(({ key: column, render, align = 'left' }) => (
                  <Table.Td key={column} ta={align}>
                    {render(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function HeaderCell<Row>({
  column,
  sort,
}: {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
}) {
  const { label, align = 'left', width, sortKey } = column;
  const isSorted = sort !== undefined && sortKey !== undefined && sort.by === sortKey;
  const direction = isSorted ? (sort.direction === 'asc' ? 'ascending' : 'descending') : undefined;
  return (
    <Table.Th ta={align} w={width} aria-sort={direction}>
      {sort && sortKey ? (
        <Box
          component="button"
          type="button"
          fw={700}
          p={0}
          bg="none"
          c="inherit"
          style={{ border: 0, cursor: 'pointer', font: 'inherit' }}
          onClick={() => sort.onChange(sortKey, isSorted && sort.direction === 'desc' ? 'asc' : 'desc')}
        >
          {label} {isSorted ? (sort.direction === 'asc' ? '↑' : '↓') : ''}
        </Box>
      ) : (
        label
      )}
    </Table.Th>
  );
}
