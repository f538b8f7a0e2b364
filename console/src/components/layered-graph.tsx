/** A graph in columns, drawn from left to right. The nodes of a column are a list, so that it is read in the same order. */
import { Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import styles from './layered-graph.module.css';

const NODE = { width: 230, height: 66 };
const GAP = { x: 56, y: 12 };
const PADDING = 16;
/** How far an edge within a column bulges. */
const SIDE = 28;
/** The line of the labels above the columns. */
const LABEL = 24;

export interface GraphNode {
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly color: string;
}

interface GraphColumn<Node> {
  readonly label: string;
  readonly nodes: readonly Node[];
}

interface LayeredGraphProps<Node> {
  readonly label: string;
  readonly columns: readonly GraphColumn<Node>[];
  /** Keys of nodes, from left to right. */
  readonly edges: readonly (readonly [from: string, to: string])[];
  /** The title with its link. */
  readonly renderTitle: (node: Node) => ReactNode;
}

export function LayeredGraph<Node extends GraphNode>(props: LayeredGraphProps<Node>) {
  const { label, columns, edges, renderTitle } = props;
  const { places, width, height } = place(columns);
  return (
    // A block that scrolls has to be reachable with the keyboard.
    <div className={styles['graph']} role="group" aria-label={label} tabIndex={0}>
      <div style={{ position: 'relative', width, height }}>
        <svg width={width} height={height} aria-hidden>
          {edges.map(([from, to]) => (
            <path key={`${from} ${to}`} d={toCurve(places.get(from), places.get(to))} />
          ))}
        </svg>
        {columns.map((column, index) => (
          <div key={column.label}>
            <Text
              size="xs"
              fw={600}
              c="dimmed"
              pos="absolute"
              top={PADDING - 6}
              left={PADDING + index * (NODE.width + GAP.x)}
            >
              {column.label}
            </Text>
            <ul aria-label={column.label}>
              {column.nodes.map((node) => (
                <NodeBox key={node.key} node={node} place={places.get(node.key)} title={renderTitle(node)} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </div>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Columns are centred beside the highest one. */
function place(columns: readonly GraphColumn<GraphNode>[]) {
  const heightOf = (count: number) => count * NODE.height + Math.max(0, count - 1) * GAP.y;
  const inner = Math.max(...columns.map(({ nodes }) => heightOf(nodes.length)));
  const places = new Map<string, Place>();
  for (const [column, { nodes }] of columns.entries()) {
    const top = PADDING + LABEL + (inner - heightOf(nodes.length)) / 2;
    for (const [row, { key }] of nodes.entries())
      places.set(key, {
        x: PADDING + column * (NODE.width + GAP.x),
        y: top + row * (NODE.height + GAP.y),
      });
  }
  const width = 2 * PADDING + SIDE + columns.length * NODE.width + (columns.length - 1) * GAP.x;
  return { places, width, height: inner + LABEL + 2 * PADDING };
}

function toCurve(from: Place | undefined, to: Place | undefined): string {
  if (!from || !to) return '';
  const [x1, y1] = [from.x + NODE.width, from.y + NODE.height / 2];
  if (from.x >= to.x) {
    // Within a column the edge runs along its right side.
    const [x, y] = [to.x + NODE.width, to.y + NODE.height / 2];
    const side = Math.max(x, x1) + SIDE;
    return `M${x1} ${y1}C${side} ${y1} ${side} ${y} ${x} ${y}`;
  }
  const [x2, y2] = [to.x, to.y + NODE.height / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

interface NodeBoxProps {
  readonly node: GraphNode;
  readonly place: Place | undefined;
  readonly title: ReactNode;
}

function NodeBox({ node, place: { x, y } = { x: 0, y: 0 }, title }: NodeBoxProps) {
  const { kind, detail, color } = node;
  const style = {
    left: x,
    top: y,
    ...NODE,
    '--kind': `var(--mantine-color-${color}-6)`,
  } as CSSProperties;
  return (
    <li className={styles['node']} style={style} title={`${node.title}, ${detail}`}>
      <Text size="xs" c="dimmed" lh={1.3}>
        {kind}
      </Text>
      <Text size="sm" fw={500} truncate component="div" className="user-text">
        {title}
      </Text>
      <Text size="xs" c="dimmed" truncate lh={1.3}>
        {detail}
      </Text>
    </li>
  );
}
