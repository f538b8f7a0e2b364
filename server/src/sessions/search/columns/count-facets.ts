/** Counts the selected sessions for all facets. */
import { ORIGINS } from '../../schema.ts';
import type { Counts, FacetCounts } from '../facet-counts.ts';
import type { Selection } from './selection.ts';
import { FLAGS, ORIGIN_MASK, type SessionColumns } from './session-columns.ts';

export function countFacets(columns: SessionColumns, selection: Selection): FacetCounts {
  const { userIds, agentNames, modelNames, kindNames, statusNames, labelSets } = columns;
  const counts = countRows(columns, selection);
  const ofKinds = sumBy(columns.kinds, counts.groups, kindNames.size);
  const ofStatuses = sumBy(columns.statuses, counts.groups, statusNames.size);
  return {
    agents: toCounts(counts.agents, (code) => agentNames.text(code)),
    models: toCounts(counts.models, (code) => modelNames.text(code)),
    origins: countOrigins(counts.flags),
    users: toCounts(counts.users, (code) => userIds.text(code - 1)),
    group_kinds: toCounts(ofKinds, (code) => kindNames.text(code)),
    group_statuses: toCounts(ofStatuses, (code) => statusNames.text(code)),
    labels: labelSets.toCounts(counts.labels),
  };
}

/** Counts sessions by the codes of all columns in one pass. */
function countRows(columns: SessionColumns, { rows, count }: Selection) {
  const { users, models, agents, groups, labels, flags } = columns;
  const ofUsers = new Int32Array(columns.userIds.rowCount + 1);
  const ofModels = new Int32Array(columns.modelNames.size + 1);
  const ofAgents = new Int32Array(columns.agentNames.size + 1);
  const ofGroups = new Int32Array(columns.groupIds.rowCount + 1);
  const ofLabels = new Int32Array(columns.labelSets.count);
  const ofFlags = new Int32Array(FLAGS);
  for (let index = 0; index < count; index++) {
    const row = rows[index] as number;
    increment(ofUsers, users[row] as number);
    increment(ofModels, models[row] as number);
    increment(ofAgents, agents[row] as number);
    increment(ofGroups, groups[row] as number);
    increment(ofLabels, labels[row] as number);
    increment(ofFlags, flags[row] as number);
  }
  return {
    users: ofUsers,
    models: ofModels,
    agents: ofAgents,
    groups: ofGroups,
    labels: ofLabels,
    flags: ofFlags,
  };
}

function increment(counts: Int32Array, code: number): void {
  counts[code] = (counts[code] as number) + 1;
}

/** Leaves out sessions without a value, whose code is 0. */
function toCounts(counts: Int32Array, toText: (code: number) => string): Counts {
  const byText: Counts = new Map();
  for (let code = 1; code < counts.length; code++) {
    const count = counts[code] as number;
    if (count > 0) byText.set(toText(code), count);
  }
  return byText;
}

function countOrigins(ofFlags: Int32Array): Counts {
  const counts: Counts = new Map();
  ofFlags.forEach((count, flags) => {
    const origin = ORIGINS[flags & ORIGIN_MASK];
    if (count > 0 && origin) counts.set(origin, (counts.get(origin) ?? 0) + count);
  });
  return counts;
}

/** Sums the counts of groups by an attribute of the groups. */
function sumBy(codes: Int32Array, ofGroups: Int32Array, size: number): Int32Array {
  const sums = new Int32Array(size + 1);
  for (let group = 1; group < ofGroups.length; group++) {
    const code = codes[group] as number;
    sums[code] = (sums[code] as number) + (ofGroups[group] as number);
  }
  return sums;
}
