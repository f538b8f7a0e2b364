/** The candidates by what they were made of. A merge stands below its first parent, and names both. */
import type { OptimizationCandidate } from '@drydock/sdk';
import { Badge, Text, VisuallyHidden } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { formatScore } from '../../components/format.ts';
import styles from '../optimization.module.css';
import { FOUND_BY_COLORS, FOUND_BY_LABELS } from '../states.ts';

const ROW = 32;
const INDENT = 16;
const START = 14;
/** Deeper candidates are not moved further to the right, where their names would be hidden. */
const MAX_INDENT = 5;

interface Node {
  readonly candidate: OptimizationCandidate;
  readonly depth: number;
}

interface CandidateTreeProps {
  readonly candidates: readonly OptimizationCandidate[];
  readonly best: number | null;
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
}

export function CandidateTree({ candidates, best, selected, onSelect }: CandidateTreeProps) {
  const nodes = useMemo(() => toNodes(candidates), [candidates]);
  const list = useRef<HTMLDivElement>(null);
  const selectedRow = nodes.findIndex(({ candidate }) => candidate.index === selected);
  // The list alone is scrolled: `scrollIntoView` would move the page as well.
  useEffect(() => {
    const { current } = list;
    if (!current || selectedRow < 0) return;
    const { scrollTop, clientHeight } = current;
    const top = selectedRow * ROW;
    if (top < scrollTop || top + ROW > scrollTop + clientHeight) current.scrollTop = top - clientHeight / 2;
  }, [selectedRow]);
  const onKeyDown = (event: KeyboardEvent<HTMLLIElement>, row: number) => {
    const target = { ArrowDown: row + 1, ArrowUp: row - 1, Home: 0, End: nodes.length - 1 }[event.key];
    const next = target === undefined ? undefined : nodes[target];
    if (!next) return;
    event.preventDefault();
    onSelect(next.candidate.index);
    event.currentTarget.parentElement?.querySelector<HTMLElement>(`[data-row="${target}"]`)?.focus();
  };
  return (
    <div className={styles['tree']} ref={list}>
      <Rail nodes={nodes} />
      <ul role="tree" aria-label="Candidates">
        {nodes.map(({ candidate, depth }, row) => (
          <li
            key={candidate.index}
            role="treeitem"
            aria-level={depth + 1}
            aria-selected={candidate.index === selected}
            data-row={row}
            tabIndex={candidate.index === (selected ?? 0) ? 0 : -1}
            className={styles['node']}
            style={{ height: ROW, paddingInlineStart: toX(depth) + 14 }}
            onClick={() => onSelect(candidate.index)}
            onKeyDown={(event) => onKeyDown(event, row)}
          >
            <Text size="sm" fw={500}>
              #{candidate.index}
            </Text>
            <VisuallyHidden>{describe(candidate)}</VisuallyHidden>
            <Text size="sm">{formatScore(candidate.mean_score)}</Text>
            {candidate.index === best && (
              <Badge miw="max-content" size="xs">
                Best
              </Badge>
            )}
            {(candidate.parents.length > 1 || depth > MAX_INDENT) && (
              <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }} aria-hidden>
                {nameParents(candidate)}
              </Text>
            )}
            {candidate.is_on_frontier && (
              <Badge miw="max-content" size="xs" variant="default" ml="auto">
                Frontier
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const toX = (depth: number) => START + Math.min(depth, MAX_INDENT) * INDENT;
const toY = (row: number) => row * ROW + ROW / 2;

/** The lines from parents to children, behind the names. */
function Rail({ nodes }: { readonly nodes: readonly Node[] }) {
  const rows = new Map(nodes.map(({ candidate }, row) => [candidate.index, row]));
  return (
    <svg className={styles['rail']} width={toX(MAX_INDENT) + 8} height={nodes.length * ROW} aria-hidden>
      {nodes.map(({ candidate, depth }, row) => {
        const from = rows.get(candidate.parents[0] ?? -1);
        if (from === undefined) return null;
        const x = toX(nodes[from]?.depth ?? 0);
        return <path key={candidate.index} d={`M${x} ${toY(from)}V${toY(row)}H${toX(depth)}`} />;
      })}
      {nodes.map(({ candidate, depth }, row) => (
        <circle
          key={candidate.index}
          cx={toX(depth)}
          cy={toY(row)}
          r={5}
          fill={`var(--mantine-color-${FOUND_BY_COLORS[candidate.found_by]}-6)`}
        />
      ))}
    </svg>
  );
}

/** All candidates, each after its first parent. A parent is always found before its children. */
function toNodes(candidates: readonly OptimizationCandidate[]): readonly Node[] {
  const children = Map.groupBy(candidates, ({ parents }) => parents[0]);
  const nodes: Node[] = [];
  const waiting: Node[] = (children.get(undefined) ?? []).map((candidate) => ({ candidate, depth: 0 }));
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    nodes.push(node);
    const { depth } = node;
    const below = (children.get(node.candidate.index) ?? []).map((candidate) => ({
      candidate,
      depth: depth + 1,
    }));
    waiting.push(...below.toReversed());
  }
  return nodes;
}

const nameParents = ({ parents }: OptimizationCandidate): string =>
  parents.length > 0 ? `of ${parents.map((parent) => `#${parent}`).join(' and ')}` : '';

/** What the lines and colours show, for people who cannot see them. */
const describe = (candidate: OptimizationCandidate): string =>
  `${FOUND_BY_LABELS[candidate.found_by].toLowerCase()} ${nameParents(candidate)}, score`;
