/** Nodes of a lineage in layers by their distance from the root, with what it was made from on the left. */
import type { LineageEdge, LineageNode, LineageRoot } from '@drydock/sdk';
import { formatCountOf, formatTime } from '../components/format.ts';
import type { GraphNode } from '../components/layered-graph.tsx';
import { kindLabelOf, type LinkedNode, titleOf } from './lineage-link.tsx';

export interface LayerNode extends GraphNode {
  readonly node: LinkedNode;
}

const COLORS: Readonly<Record<string, string>> = {
  dataset: 'teal',
  model: 'grape',
  capability: 'orange',
  task: 'cyan',
  session: 'gray',
  evaluation: 'blue',
  optimization_job: 'indigo',
  training_job: 'indigo',
  assessment: 'red',
  finding: 'red',
};

/** Relation of a node on the left to what was made from it. */
const SOURCES: Readonly<Record<string, string>> = {
  task: 'task that it ran on',
  dataset: 'dataset whose rows it ran on',
  capability: 'capability that it ran with',
  model: 'model that it used',
  run: 'run that it is part of',
  row: 'session that is a row',
  samples: 'evaluation whose samples are rows',
  base: 'starting point',
  train: 'training data',
  validation: 'validation data',
  measured: 'evaluation data',
  retry: 'tried again',
  promoted: 'job whose candidate was promoted',
  published: 'job that published it',
  target: 'attacked',
  review: 'finding that was reviewed',
  check: 'checked',
};

/** What a node on the right did with what it was made from. */
const USES: Readonly<Record<string, string>> = {
  task: 'ran on it',
  dataset: 'ran on its rows',
  capability: 'ran with it',
  model: 'used it',
  run: 'is part of it',
  row: 'contains it as a row',
  samples: 'contains its samples',
  base: 'started from it',
  train: 'trained on it',
  validation: 'was scored on it',
  measured: 'was measured on it',
  retry: 'tried it again',
  promoted: 'was promoted from it',
  published: 'was published by it',
  target: 'attacked it',
  review: 'reviewed it',
  check: 'checked it',
};

/** Steps from the root, by the ID of the node. */
type Distances = ReadonlyMap<string, number>;

export function toLayers(
  root: LineageRoot,
  nodes: readonly LineageNode[],
  edges: readonly LineageEdge[],
): readonly { readonly label: string; readonly nodes: readonly LayerNode[] }[] {
  const all = [{ ...root, distance: 0 }, ...nodes];
  const distances = new Map(all.map(({ id, distance }) => [id, Math.abs(distance)]));
  const layers = Map.groupBy(all, ({ distance }) => distance);
  return [...layers]
    .toSorted(([a], [b]) => a - b)
    .map(([distance, layer]) => ({
      label: labelOf(distance),
      nodes: layer.map((node) => ({
        key: node.id,
        kind: kindLabelOf(node),
        title: titleOf(node),
        detail: describe(node, edges, distances),
        color: COLORS[node.kind] ?? 'gray',
        node,
      })),
    }));
}

function labelOf(distance: number): string {
  if (distance === 0) return 'This';
  const steps = formatCountOf(Math.abs(distance), 'step');
  return distance < 0 ? `Made from, ${steps} before` : `Made from it, ${steps} after`;
}

/** Relation of the node to the one nearer to the root, or the time at which the root was created. */
function describe(node: LineageNode, edges: readonly LineageEdge[], distances: Distances): string {
  const isSource = node.distance < 0;
  const words = edges
    .filter(({ from, to }) => (isSource ? to : from) === node.id)
    .filter(({ from, to }) => (distances.get(isSource ? from : to) ?? Infinity) < Math.abs(node.distance))
    .map(({ relation, split }) => {
      const text = (isSource ? SOURCES : USES)[relation] ?? relation;
      return split === null ? text : `${text} (${split})`;
    });
  return words.length === 0 ? formatTime(node.created_at) : [...new Set(words)].join(', ');
}
