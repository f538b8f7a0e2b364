/** The spans of a trace as a tree, with a bar for when each of them ran. */
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { formatDuration } from '../components/format.ts';
import type { SpanTree, TreeRow } from './span-tree.ts';
import styles from './trace.module.css';

const ROW_HEIGHT_PX = 28;
/** Deeper levels are not indented further, because names would have no room. */
const MAX_INDENT = 16;
const INDENT_PX = 14;

interface SpanRowsProps {
  readonly tree: SpanTree;
  readonly selected: string | undefined;
  readonly onSelect: (id: string) => void;
  readonly durationMs: number;
}

export function SpanRows({ tree, selected, onSelect, durationMs }: SpanRowsProps) {
  const { rows } = tree;
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });
  const at = rows.findIndex(({ node }) => node.id === selected);
  const hasRow = at >= 0;
  // Rows that are added in between must not move the view.
  useEffect(() => {
    if (hasRow) virtual.scrollToIndex(at, { align: 'auto' });
  }, [selected, hasRow, virtual]);
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (event.key === 'ArrowRight' && row && row.childCount > 0 && !row.isOpen)
      tree.toggle(row.node.id, true);
    else if (event.key === 'ArrowLeft' && row && row.childCount > 0 && row.isOpen)
      tree.toggle(row.node.id, false);
    else if (event.key === 'ArrowLeft' && row?.node.parentId) onSelect(row.node.parentId);
    else if (target === undefined) return;
    else {
      const next = rows[target];
      if (next) onSelect(next.node.id);
    }
    event.preventDefault();
  };
  return (
    <div className={styles['timeline']}>
      <Scale durationMs={durationMs} />
      <div
        ref={scroll}
        className={styles['rows']}
        role="tree"
        tabIndex={0}
        aria-label="Spans"
        aria-activedescendant={hasRow ? `span-${selected}` : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <SpanRow
                  key={row.node.id}
                  row={row}
                  start={start}
                  isSelected={row.node.id === selected}
                  durationMs={durationMs}
                  onSelect={() => onSelect(row.node.id)}
                  onToggle={() => tree.toggle(row.node.id, !row.isOpen)}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

interface SpanRowProps {
  readonly row: TreeRow;
  readonly start: number;
  readonly isSelected: boolean;
  readonly durationMs: number;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
}

function SpanRow({ row, start, isSelected, durationMs, onSelect, onToggle }: SpanRowProps) {
  const { node, depth, childCount, isOpen } = row;
  const share = (milliseconds: number) => `${durationMs > 0 ? (100 * milliseconds) / durationMs : 0}%`;
  return (
    // The tree takes the keys.
    <div
      id={`span-${node.id}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={childCount > 0 ? isOpen : undefined}
      className={styles['row']}
      data-error={node.isError || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={onSelect}
    >
      <div className={styles['name']} style={{ paddingLeft: 6 + Math.min(depth, MAX_INDENT) * INDENT_PX }}>
        {/* Left and right arrow do the same. */}
        <span
          className={styles['toggle']}
          data-open={isOpen || undefined}
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          {childCount > 0 && <IconChevronRight size={13} aria-hidden />}
        </span>
        <span className={styles['dot']} data-type={node.type} aria-hidden />
        <bdi className={styles['text']}>{node.name || '(no name)'}</bdi>
        {node.isError && <IconAlertTriangle size={13} className={styles['mark']} aria-label="error" />}
      </div>
      <div className={styles['track']}>
        <span
          className={styles['span']}
          data-type={node.type}
          style={{ left: share(node.startMs), width: `max(2px, ${share(node.durationMs)})` }}
        />
      </div>
      <span className={styles['time']}>{formatDuration(node.durationMs)}</span>
    </div>
  );
}

function Scale({ durationMs }: { readonly durationMs: number }) {
  return (
    <div className={styles['scale']} aria-hidden>
      <span className={styles['name']}>Span</span>
      <span className={styles['ticks']}>
        {[0, 0.25, 0.5, 0.75].map((share) => (
          <span key={share}>{formatDuration(share * durationMs)}</span>
        ))}
      </span>
      <span className={styles['time']}>{formatDuration(durationMs)}</span>
    </div>
  );
}
