/** The state of the lineage page in the address: an artifact version, or a session. */
import { readOneOf, readText } from '../search-params.ts';

const ARTIFACT_KINDS = ['dataset', 'model', 'capability', 'task'] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

const DIRECTIONS = ['both', 'up', 'down'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface LineageSearch {
  readonly kind?: ArtifactKind;
  readonly name?: string;
  readonly version?: string;
  readonly session?: string;
  readonly direction?: Direction;
}

export const readLineageSearch = (search: Record<string, unknown>): LineageSearch => ({
  kind: readOneOf(search, 'kind', ARTIFACT_KINDS),
  name: readText(search, 'name'),
  version: readText(search, 'version'),
  session: readText(search, 'session'),
  direction: readOneOf(search, 'direction', DIRECTIONS),
});
