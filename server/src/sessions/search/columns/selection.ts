/** Selects the rows of the sessions that a caller can see and a filter matches. */
import { ORIGINS } from '../../schema.ts';
import type { SessionFilter } from '../query.ts';
import type { Dictionary } from './dictionary.ts';
import type { IdTable } from './id-table.ts';
import { bytesOf, withRoom } from './room.ts';
import {
  FLAG_ARCHIVED,
  FLAG_FREE,
  FLAG_FROZEN,
  FLAG_SHARED,
  FLAGS,
  ORIGIN_MASK,
  type SessionColumns,
} from './session-columns.ts';

/** Verdict by flags alone: the session is not excluded. */
const IN = 1;
const IN_IF_OWN = 2;

export interface Wanted {
  /** Id of the calling user; private sessions of other users are excluded. */
  readonly userId: string;
  readonly filter: SessionFilter;
  /** 1 for each row that the search matches; undefined without a search. */
  readonly marks: Uint8Array | undefined;
}

/** Selections share one buffer: each is valid until the next one is made. */
export class Selection {
  rows = new Int32Array(0);
  count = 0;

  get bytes(): number {
    return bytesOf(this.rows);
  }

  select(columns: SessionColumns, { userId, filter, marks }: Wanted): void {
    const { userIds, projectIds, modelNames, agentNames, labelSets } = columns;
    this.begin(columns, toVerdicts(filter), userIds.findText(userId) + 1);
    if (filter.userId !== undefined) this.keep(columns.users, matchIds(userIds, [filter.userId]));
    if (filter.userIds) this.keep(columns.users, matchIds(userIds, filter.userIds));
    if (filter.projectIds) this.keep(columns.projects, matchIds(projectIds, filter.projectIds));
    if (filter.agents) this.keep(columns.agents, matchTexts(agentNames, filter.agents));
    if (filter.models) this.keep(columns.models, matchTexts(modelNames, filter.models));
    if (filter.labels.length > 0) this.keep(columns.labels, labelSets.match(filter.labels));
    if (marks) this.keepMarked(marks);
  }

  /** Branch-free, because branches here would be unpredictable: a row that is not selected is overwritten by the next one. */
  private begin({ rowCount, flags, users }: SessionColumns, verdicts: Uint8Array, user: number): void {
    this.rows = withRoom(this.rows, rowCount);
    const { rows } = this;
    let count = 0;
    for (let row = 0; row < rowCount; row++) {
      const verdict = verdicts[flags[row] as number] as number;
      const difference = (users[row] as number) ^ user;
      const isOwn = ((difference | -difference) >>> 31) ^ 1;
      rows[count] = row;
      count += (verdict & IN) | ((verdict >> 1) & isOwn);
    }
    this.count = count;
  }

  private keep(codes: Int32Array, allowed: Uint8Array): void {
    const { rows, count } = this;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const row = rows[index] as number;
      rows[kept] = row;
      kept += allowed[codes[row] as number] as number;
    }
    this.count = kept;
  }

  private keepMarked(marks: Uint8Array): void {
    const { rows, count } = this;
    let kept = 0;
    for (let index = 0; index < count; index++) {
      const row = rows[index] as number;
      rows[kept] = row;
      kept += marks[row] as number;
    }
    this.count = kept;
  }
}

/** Computes the verdict for every combination of flags. */
function toVerdicts({ archived, origins }: SessionFilter): Uint8Array {
  const verdicts = new Uint8Array(FLAGS);
  for (let flags = 0; flags < FLAGS; flags++) {
    const origin = ORIGINS[flags & ORIGIN_MASK];
    const isWanted =
      origin !== undefined && (origins?.includes(origin) ?? true) && isOfState(flags, archived);
    if (!isWanted || (flags & FLAG_FREE) !== 0) continue;
    verdicts[flags] = (flags & FLAG_SHARED) !== 0 ? IN : IN_IF_OWN;
  }
  return verdicts;
}

function isOfState(flags: number, archived: SessionFilter['archived']): boolean {
  const isArchived = (flags & FLAG_ARCHIVED) !== 0;
  if (archived === 'active') return !isArchived;
  if (archived === 'archived') return isArchived;
  return archived === 'any' || isArchived || (flags & FLAG_FROZEN) !== 0;
}

function matchIds(table: IdTable, ids: readonly string[]): Uint8Array {
  const allowed = new Uint8Array(table.rowCount + 1);
  for (const id of ids) allowed[table.findText(id) + 1] = 1;
  allowed[0] = 0;
  return allowed;
}

function matchTexts(dictionary: Dictionary, texts: readonly string[]): Uint8Array {
  const allowed = new Uint8Array(dictionary.size + 1);
  for (const text of texts) allowed[dictionary.find(text)] = 1;
  allowed[0] = 0;
  return allowed;
}
