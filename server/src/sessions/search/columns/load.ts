/**
 * Fills columns from the database, with all sessions of a workspace or with those that changed. COPY has the smallest row format, and
 * chunks are parsed as they arrive, so that other requests are served in between.
 */
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Db } from '../../../platform/db/connect.ts';
import { CopyTuples } from './copy-tuples.ts';
import { isChangedSince, isOfPlace, MOMENT, type Moment, type Place, type Write } from './moment.ts';
import { NO_TIME, type SessionColumns, SessionValues } from './session-columns.ts';
import { FLAGS_OF_ROW, MESSAGE_COUNT_OF_ROW } from './session-rows.ts';
import { newWords, readUuidBytes } from './uuid-words.ts';

export interface LoadOptions {
  readonly db: Db;
  /** The pool of `db`. */
  readonly pool: pg.Pool;
  readonly place: Place;
  /** Loads only what changed since this moment; omit to load everything. */
  readonly since?: Moment | undefined;
  /** Called after every few rows; an error that it throws ends the load. */
  readonly onRows: (rowCount: number) => void;
  /** Called before the first row, with the number of sessions. */
  readonly onCount?: (sessionCount: number) => void;
}

const MAX_LOAD_MS = 300_000;

/** Loads columns in one snapshot and returns its moment. The columns are unusable if this fails. */
export async function loadColumns(
  columns: SessionColumns,
  { db, pool, place, since, onRows, onCount }: LoadOptions,
): Promise<Moment> {
  /** Compiles through `db`, so that its plugins see these statements. */
  const toText: ToText = (statement) => statement.compile(db).sql;
  const client = await pool.connect();
  let isDone = false;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // COPY lasts as long as this process takes to read it, which may be busy.
    await client.query(`SET LOCAL statement_timeout = ${MAX_LOAD_MS}`);
    const { rows } = await client.query<Moment>(toText(sql`SELECT ${MOMENT}`));
    if (onCount) onCount(await countSessions(client, place, toText));
    for (const { select, ...table } of toTables(columns, place, since))
      await readTable(client, { select: toText(select), ...table }, onRows);
    await client.query('COMMIT');
    isDone = true;
    return rows[0] as Moment;
  } finally {
    // A connection in the middle of a COPY cannot be reused.
    client.release(!isDone);
  }
}

export async function hasMoreThan(db: Db, place: Place, count: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT s.id FROM sessions AS s WHERE ${isOfPlace('s', place)} OFFSET ${count} LIMIT 1`.execute(db);
  return rows.length > 0;
}

async function countSessions(client: pg.ClientBase, place: Place, toText: ToText): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    toText(sql`SELECT count(*) AS count FROM sessions AS s WHERE ${isOfPlace('s', place, writtenOut)}`),
  );
  return rows[0]?.count ?? 0;
}

type ToText = (statement: RawBuilder<unknown>) => string;

/** COPY accepts no parameters. */
const writtenOut: Write = (value) => sql.lit(value);

interface Table<Select = RawBuilder<unknown>> {
  readonly select: Select;
  readonly fields: number;
  readonly take: (tuple: CopyTuples) => void;
}

/** Deletions are read first: a deleted id may have been saved again. */
function toTables(columns: SessionColumns, place: Place, since: Moment | undefined): Table[] {
  const where = (alias: string) => {
    const isOf = isOfPlace(alias, place, writtenOut);
    return since ? sql`${isOf} AND ${isChangedSince(alias, since.snapshot, writtenOut)}` : isOf;
  };
  const id = newWords();
  const deletions = {
    select: sql`SELECT d.session_id FROM session_deletions AS d WHERE ${where('d')}`,
    fields: 1,
    take: (tuple: CopyTuples) => columns.remove(readUuidBytes(tuple.bytes, tuple.start(0), id)),
  };
  const groups = {
    select: sql`SELECT g.id, g.kind, g.status FROM session_groups AS g WHERE ${where('g')}`,
    fields: 3,
    take: (tuple: CopyTuples) =>
      columns.putGroup(
        readUuidBytes(tuple.bytes, tuple.start(0), id),
        tuple.text(1),
        tuple.isNull(2) ? null : tuple.text(2),
      ),
  };
  const values = new SessionValues();
  const sessions = {
    select: sql`SELECT s.id, s.user_id, s.group_id, s.project_id, ${FLAGS_OF_ROW}, s.model, s.agent, s.created_at, s.updated_at,
                    s.last_message_at, ${MESSAGE_COUNT_OF_ROW}, s.labels::text, s.search_text
               FROM sessions AS s WHERE ${where('s')}`,
    fields: 13,
    take: (tuple: CopyTuples) => columns.put(readSession(tuple, values)),
  };
  return since ? [deletions, groups, sessions] : [groups, sessions];
}

function readSession(tuple: CopyTuples, values: SessionValues): SessionValues {
  const { bytes } = tuple;
  readUuidBytes(bytes, tuple.start(0), values.id);
  readUuidBytes(bytes, tuple.start(1), values.user);
  values.hasGroup = !tuple.isNull(2);
  if (values.hasGroup) readUuidBytes(bytes, tuple.start(2), values.group);
  values.hasProject = !tuple.isNull(3);
  if (values.hasProject) readUuidBytes(bytes, tuple.start(3), values.project);
  values.flags = tuple.integer(4);
  values.model = tuple.text(5);
  values.agent = tuple.isNull(6) ? null : tuple.text(6);
  values.createdAt = tuple.milliseconds(7);
  values.updatedAt = tuple.milliseconds(8);
  values.lastMessageAt = tuple.isNull(9) ? NO_TIME : tuple.milliseconds(9);
  values.messageCount = tuple.integer(10);
  values.labels = tuple.text(11);
  values.text = bytes;
  values.textStart = tuple.start(12);
  values.textEnd = tuple.ends[12] as number;
  return values;
}

async function readTable(
  client: pg.ClientBase,
  table: Table<string>,
  onRows: LoadOptions['onRows'],
): Promise<void> {
  const { select, fields, take } = table;
  const pieces = client.query(copyTo(`COPY (${select}) TO STDOUT (FORMAT binary)`));
  const tuples = new CopyTuples(fields);
  for await (const piece of pieces) {
    tuples.add(piece as Buffer);
    let count = 0;
    for (; tuples.next(); count++) take(tuples);
    onRows(count);
  }
}
