/** Decisions about findings: what can be decided, by which key, and how the pages learn of it. */
import type { FindingDetail, FindingListResponse, UpdateFindingRequest } from '@drydock/sdk';
import { useQueryClient } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { useWhere } from '../../frame/scope.ts';
import { ASSESSMENT_KEY, FINDING_KEY, FINDING_LISTS_KEY, SUMMARY_KEY } from '../queries.ts';
import type { FindingState } from '../states.ts';

/** The statuses that have a key, in the order of the buttons. */
export const STATUS_KEYS: readonly (readonly [key: string, status: FindingState])[] = [
  ['f', 'false_positive'],
  ['a', 'accepted_risk'],
  ['r', 'remediated'],
  ['o', 'open'],
];

export interface TriageActions {
  readonly onStatus: (status: FindingState) => void;
  readonly onSeverity: () => void;
  readonly onNotes: () => void;
  readonly onCheck: () => void;
}

const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable]';

/** Handles a key that was pressed in the list: not in its header, and not while somebody types. */
export function handleTriageKey(event: KeyboardEvent<HTMLElement>, actions: TriageActions): void {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
  if (!target.closest('tbody') || target.closest(TYPING)) return;
  const pressed = key.toLowerCase();
  const status = STATUS_KEYS.find(([one]) => one === pressed)?.[1];
  const others = new Map([
    ['s', actions.onSeverity],
    ['n', actions.onNotes],
    ['x', actions.onCheck],
  ]);
  const act = status ? () => actions.onStatus(status) : others.get(pressed);
  if (!act) return;
  event.preventDefault();
  act();
}

interface Triage {
  readonly ids: readonly string[];
  readonly change: UpdateFindingRequest;
}

/** Changes one finding or many, and writes the result into everything that shows them. */
export function useTriage() {
  const where = useWhere();
  const queries = useQueryClient();
  return useAction(
    async ({ ids, change }: Triage): Promise<readonly FindingDetail[]> => {
      const [id] = ids;
      if (id !== undefined && ids.length === 1)
        return [await drydock.findings.update({ ...where, finding_id: id }, change)];
      return (await drydock.findings.updateMany(where, { finding_ids: [...ids], ...change })).items;
    },
    (changed) => {
      const byId = new Map(changed.map((finding) => [finding.id, finding]));
      for (const finding of changed) queries.setQueryData([FINDING_KEY, finding.id], finding);
      queries.setQueriesData<FindingListResponse>(
        { queryKey: [FINDING_LISTS_KEY] },
        (old) => old && { ...old, items: old.items.map((item) => byId.get(item.id) ?? item) },
      );
      void queries.invalidateQueries({ queryKey: [FINDING_LISTS_KEY] });
      void queries.invalidateQueries({ queryKey: [SUMMARY_KEY] });
      for (const id of new Set(changed.map(({ assessment_id }) => assessment_id)))
        void queries.invalidateQueries({ queryKey: [ASSESSMENT_KEY, id] });
    },
  );
}
