/** Lineage on the wire: nodes, and edges from what was made to what it was made from. */
import { z } from 'zod';
import { Id, Timestamp } from '../platform/fields.ts';
import { cursorQuery } from '../platform/http/responses/pages.ts';
import { ARTIFACT_KINDS, LINEAGE_KINDS, RELATIONS } from '../platform/lineage/lineage.ts';
import { SemVer } from '../registry/service.ts';

export const DIRECTIONS = ['up', 'down', 'both'] as const;

const pageQuery = {
  direction: z
    .enum(DIRECTIONS)
    .default('both')
    .describe('`up`: its sources; `down`: what is derived from it'),
  ...cursorQuery({ defaultLimit: 100, maxLimit: 500 }),
};

export const LineageQuery = z.object({
  kind: z.enum(ARTIFACT_KINDS),
  name: z.string().min(1).max(255).describe('`name`, or `org/name` of a public artifact'),
  version: SemVer,
  ...pageQuery,
});

export const SessionLineageQuery = z.object(pageQuery);

export type PageQuery = z.output<typeof SessionLineageQuery>;

const identity = {
  id: Id.describe('Of the session or job; of the version for an artifact'),
  kind: z.enum(LINEAGE_KINDS),
  name: z.string().nullable().describe('Of an artifact, with its organization where that is another'),
  version: z.string().nullable(),
  workspace: z.string().nullable().describe('The key of the workspace; null for an artifact'),
  created_at: Timestamp,
};

const LineageRoot = z.object(identity).meta({ id: 'LineageRoot' });

export type LineageRootOf = z.output<typeof LineageRoot>;

const LineageNode = z
  .object({
    ...identity,
    distance: z
      .int()
      .describe(
        'Edges to the root on the shortest path: negative for sources, positive for derived artifacts',
      ),
  })
  .meta({ id: 'LineageNode' });

export type LineageNodeOf = z.output<typeof LineageNode>;

const LineageEdge = z
  .object({
    from: Id.describe('Derived artifact'),
    to: Id.describe('Source artifact'),
    relation: z.enum(RELATIONS).describe('What `to` is to `from`'),
    split: z
      .string()
      .nullable()
      .describe(
        'The split that was used of the dataset `to`, or, for `row`, that the session is in; null for all',
      ),
    rows: z.array(z.int()).nullable().describe('The rows of that split, from 0; null for all'),
  })
  .meta({ id: 'LineageEdge' });

export type LineageEdgeOf = z.output<typeof LineageEdge>;

export const LineageResponse = z
  .object({
    root: LineageRoot,
    nodes: z.array(LineageNode).describe('The nearest first; without the root'),
    edges: z
      .array(LineageEdge)
      .describe(
        'Edges between a node of this page and the root, another node of it or one of the pages before',
      ),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe('null at the end'),
  })
  .meta({ id: 'LineageResponse' });

export type LineageOf = z.output<typeof LineageResponse>;
