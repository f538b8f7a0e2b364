/** The sessions of one workspace in columns, from which facets are counted and lists filtered and sorted. */
import { Dictionary } from './dictionary.ts';
import { IdTable } from './id-table.ts';
import { LabelSets } from './label-sets.ts';
import { bytesOf, withRoom } from './room.ts';
import { TextColumn } from './text-column.ts';
import { newWords, type Words } from './uuid-words.ts';

/** Bits of the flags: the index of the origin in `ORIGINS`, then one bit per flag. */
export const ORIGIN_MASK = 7;
export const FLAG_SHARED = 8;
export const FLAG_ARCHIVED = 16;
export const FLAG_FROZEN = 32;
/** The transcript has messages. */
export const FLAG_SPOKEN = 64;
/** The row is not in use. */
export const FLAG_FREE = 128;
export const FLAGS = 256;

/** Stands for a missing time, so that it sorts last. */
export const NO_TIME = Number.POSITIVE_INFINITY;

/** The values of one session; readers of many sessions reuse one object. */
export class SessionValues {
  readonly id: Words = newWords();
  readonly user: Words = newWords();
  readonly group: Words = newWords();
  readonly project: Words = newWords();
  hasGroup = false;
  hasProject = false;
  flags = 0;
  model = '';
  agent: string | null = null;
  createdAt = 0;
  updatedAt = 0;
  lastMessageAt = NO_TIME;
  messageCount = 0;
  /** Labels as JSON text. */
  labels = '{}';
  /** Bytes of the search text, from `textStart` to `textEnd`. */
  text: Buffer = Buffer.alloc(0);
  textStart = 0;
  textEnd = 0;
}

/** Code 0 means no value in every column of codes. */
export class SessionColumns {
  readonly ids = new IdTable();
  readonly userIds = new IdTable();
  readonly projectIds = new IdTable();
  readonly groupIds = new IdTable();
  readonly modelNames = new Dictionary();
  readonly agentNames = new Dictionary();
  readonly kindNames = new Dictionary();
  readonly statusNames = new Dictionary();
  readonly labelSets = new LabelSets();
  readonly texts = new TextColumn();

  flags = new Uint8Array(0);
  users = new Int32Array(0);
  models = new Int32Array(0);
  agents = new Int32Array(0);
  projects = new Int32Array(0);
  groups = new Int32Array(0);
  labels = new Int32Array(0);
  messageCounts = new Int32Array(0);
  createdAt = new Float64Array(0);
  updatedAt = new Float64Array(0);
  lastMessageAt = new Float64Array(0);

  /** Changes with every modification. */
  version = 0;

  /** Kind of each group, by group code. */
  kinds = new Int32Array(1);
  statuses = new Int32Array(1);

  /** Row numbers are below this; some rows may be unused. */
  get rowCount(): number {
    return this.ids.rowCount;
  }

  get bytes(): number {
    const { ids, userIds, projectIds, groupIds, modelNames, agentNames, labelSets, texts } = this;
    const parts = [ids, userIds, projectIds, groupIds, modelNames, agentNames, labelSets, texts];
    return (
      parts.reduce((sum, { bytes }) => sum + bytes, 0) +
      bytesOf(this.flags, this.users, this.models, this.agents, this.projects, this.groups, this.labels) +
      bytesOf(this.messageCounts, this.createdAt, this.updatedAt, this.lastMessageAt) +
      bytesOf(this.kinds, this.statuses)
    );
  }

  /** Whether so much of the memory is unused that loading the columns again is better. */
  get isWorn(): boolean {
    return this.texts.isWorn || this.labelSets.isWorn;
  }

  /** Reserves space for a known number of sessions. */
  reserve(rows: number): void {
    this.ids.reserve(rows);
    this.texts.reserve(rows);
    this.makeRoom(rows);
  }

  put(values: SessionValues): void {
    this.version++;
    const { rowCount } = this;
    const row = this.ids.add(values.id);
    if (this.rowCount > rowCount) this.makeRoom(this.rowCount);
    const isNew = row === rowCount || this.flags[row] === FLAG_FREE;
    const labels = this.labelSets.add(values.labels);
    this.labelSets.use(labels);
    if (isNew) {
      this.texts.add(row, values.text, values.textStart, values.textEnd);
    } else {
      this.labelSets.leave(this.labels[row] as number);
      this.texts.replace(row, values.text, values.textStart, values.textEnd);
    }
    this.labels[row] = labels;
    this.flags[row] = values.flags;
    this.users[row] = this.userIds.add(values.user) + 1;
    this.models[row] = this.modelNames.add(values.model);
    this.agents[row] = values.agent === null ? 0 : this.agentNames.add(values.agent);
    this.projects[row] = values.hasProject ? this.projectIds.add(values.project) + 1 : 0;
    this.groups[row] = values.hasGroup ? this.groupCode(values.group) : 0;
    this.messageCounts[row] = values.messageCount;
    this.createdAt[row] = values.createdAt;
    this.updatedAt[row] = values.updatedAt;
    this.lastMessageAt[row] = values.lastMessageAt;
  }

  remove(id: Words): void {
    const row = this.ids.remove(id);
    if (row < 0) return;
    this.version++;
    this.flags[row] = FLAG_FREE;
    this.labelSets.leave(this.labels[row] as number);
    this.texts.remove(row);
  }

  putGroup(id: Words, kind: string, status: string | null): void {
    this.version++;
    const code = this.groupCode(id);
    this.kinds[code] = this.kindNames.add(kind);
    this.statuses[code] = status === null ? 0 : this.statusNames.add(status);
  }

  /** A session may be loaded before its group, which has no kind until then. */
  private groupCode(id: Words): number {
    const code = this.groupIds.add(id) + 1;
    this.kinds = withRoom(this.kinds, code + 1);
    this.statuses = withRoom(this.statuses, code + 1);
    return code;
  }

  private makeRoom(rowCount: number): void {
    this.flags = withRoom(this.flags, rowCount);
    this.users = withRoom(this.users, rowCount);
    this.models = withRoom(this.models, rowCount);
    this.agents = withRoom(this.agents, rowCount);
    this.projects = withRoom(this.projects, rowCount);
    this.groups = withRoom(this.groups, rowCount);
    this.labels = withRoom(this.labels, rowCount);
    this.messageCounts = withRoom(this.messageCounts, rowCount);
    this.createdAt = withRoom(this.createdAt, rowCount);
    this.updatedAt = withRoom(this.updatedAt, rowCount);
    this.lastMessageAt = withRoom(this.lastMessageAt, rowCount);
  }
}
