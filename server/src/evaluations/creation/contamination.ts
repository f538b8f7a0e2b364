/** Decides which tasks and rows of an evaluation shaped the model or the capability under test. */
import type { WorkspacePlace } from '../../accounts/service.ts';
import type { Trx } from '../../platform/db/transaction.ts';
import type { LineageNode } from '../../platform/lineage/lineage.ts';
import { findShapers, type Shaper, type Shapers, type ShapingRows } from '../../platform/lineage/shapers.ts';
import type { ContaminationSourceOf } from '../schema.ts';
import type { EvaluatedDataset, StoredLineage } from '../stored-request.ts';

export interface Contamination {
  readonly ofTask: (versionId: string) => ContaminationSourceOf | null;
  /** @param position of the row among the evaluated ones */
  readonly ofRow: (position: number) => ContaminationSourceOf | null;
}

export const NOT_CONTAMINATED: Contamination = { ofTask: () => null, ofRow: () => null };

/** The same task version, or the same row of the same split of the same dataset version, was used for a version under test. */
export async function findContamination(
  trx: Trx,
  { organizationId, workspaceId }: WorkspacePlace,
  { parents, dataset }: StoredLineage,
): Promise<Contamination> {
  const tested: {
    readonly shapers: Shapers;
    readonly toSource: (shaper: Shaper) => ContaminationSourceOf;
  }[] = [];
  for (const { node } of parents)
    tested.push({
      shapers: await findShapers(trx, organizationId, [node.id]),
      toSource: (shaper) => toSource(shaper, node, workspaceId),
    });
  const rows = tested.flatMap(({ shapers, toSource: source }) =>
    shapers.rows.map((used) => ({ used, source: source(used.shaper) })),
  );
  return {
    ofTask: (versionId) => {
      for (const { shapers, toSource: source } of tested) {
        const shaper = shapers.tasks.get(versionId);
        if (shaper) return source(shaper);
      }
      return null;
    },
    ofRow: dataset ? toRowLookup(dataset, rows) : () => null,
  };
}

/** A job of another workspace, which readers of this evaluation may not see, gives way to the version that it shaped. */
function toSource(shaper: Shaper, tested: LineageNode, workspaceId: string): ContaminationSourceOf {
  const isShown = shaper.workspaceId === null || shaper.workspaceId === workspaceId;
  const { kind, id, name, version } = isShown ? shaper : tested;
  return { kind, id, name, version };
}

interface UsedRows {
  readonly used: ShapingRows;
  readonly source: ContaminationSourceOf;
}

function toRowLookup(
  { node, split, rowIndexes }: EvaluatedDataset,
  all: readonly UsedRows[],
): Contamination['ofRow'] {
  const same = all.filter(
    ({ used }) => used.datasetId === node.id && (used.split === '' || used.split === split),
  );
  const whole = same.find(({ used }) => used.rows === null)?.source ?? null;
  const byRow = new Map<number, ContaminationSourceOf>();
  for (const { used, source } of same) for (const row of used.rows ?? []) byRow.set(row, source);
  return (position) => byRow.get(rowIndexes?.[position] ?? position) ?? whole;
}
