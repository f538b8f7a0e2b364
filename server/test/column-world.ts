/** A workspace of random sessions in an organization of its own, and a column index over them. */
import { sql } from 'kysely';
import { expect, onTestFinished } from 'vitest';
import type { Db } from '../src/platform/db/connect.ts';
import { createLog } from '../src/platform/log.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { ColumnIndex, type ColumnIndexOptions } from '../src/sessions/search/columns/column-index.ts';
import type { FacetCounts } from '../src/sessions/search/facet-counts.ts';
import { selectPage } from '../src/sessions/search/list.ts';
import type { SessionFilter } from '../src/sessions/search/query.ts';
import { countFacets } from '../src/sessions/search/sql-facets.ts';
import type { Viewer } from '../src/sessions/visibility.ts';
import type { TestServer } from './harness.ts';
import { RandomSessions } from './random-sessions.ts';

export const EVERYTHING: SessionFilter = { archived: 'any', labels: [] };

type Place = Pick<Viewer, 'organizationId' | 'workspaceId'>;

export class ColumnWorld {
  readonly index: ColumnIndex;
  readonly sessions: RandomSessions;
  readonly place: Place;
  /** The owner, who has sessions, and two others. */
  readonly viewers: readonly [Viewer, Viewer, Viewer];
  private readonly db: Db;

  private constructor(db: Db, index: ColumnIndex, place: Place, users: readonly string[], seed: string) {
    this.db = db;
    this.index = index;
    this.place = place;
    this.sessions = new RandomSessions(db, place, users, seed);
    const [first = '', second = '', third = ''] = users;
    this.viewers = [this.viewer(first), this.viewer(second), this.viewer(third)];
  }

  /** @param options of a new index, or the index to use */
  static async make(
    { db, owner }: TestServer,
    seed: string,
    options: Partial<ColumnIndexOptions> | ColumnIndex = {},
  ): Promise<ColumnWorld> {
    const place = { organizationId: uuidv7(), workspaceId: uuidv7() };
    await sql`INSERT INTO organizations (id, key, name)
              VALUES (${place.organizationId}, ${place.organizationId}, 'Any')`.execute(db);
    await addWorkspace(db, place, owner.id);
    const users = [owner.id, uuidv7(), uuidv7()];
    await sql`INSERT INTO users (id, username, email_address)
              SELECT id, 'u' || left(replace(id::text, '-', ''), 30), id::text
                FROM unnest(${users.slice(1)}::uuid[]) AS id`.execute(db);
    const index =
      options instanceof ColumnIndex ? options : new ColumnIndex({ db, log: createLog('fatal'), ...options });
    onTestFinished(() => index.close());
    return new ColumnWorld(db, index, place, users, seed);
  }

  async fill(count: number): Promise<void> {
    for (let group = 0; group < 5; group++) await this.sessions.addGroup();
    for (let session = 0; session < count; session++) await this.sessions.add();
  }

  /** Queries once, which makes the index start loading. */
  async load(): Promise<void> {
    expect(await this.ask()).toBeUndefined();
    await this.index.settled();
  }

  ask(): Promise<FacetCounts | undefined> {
    return this.index.facets(this.viewers[0], EVERYTHING);
  }

  /** Compares the index with SQL, for random filters, orders and callers. */
  async compare(rounds: number): Promise<void> {
    const { db, index, sessions, viewers } = this;
    for (let round = 0; round < rounds; round++) {
      const viewer = viewers[round % viewers.length] as Viewer;
      const filter = round < viewers.length ? EVERYTHING : sessions.filter();
      const expected = await countFacets(db, viewer, filter);
      expect(await index.facets(viewer, filter), JSON.stringify(filter)).toEqual(expected);
      const order = sessions.order();
      const { rows } = await selectPage(viewer, filter, order).execute(db);
      const page = await index.page(viewer, filter, order);
      const ids = rows.flatMap(({ id }) => id ?? []);
      expect(page, JSON.stringify({ filter, order })).toMatchObject({ total: rows[0]?.total ?? 0, ids });
    }
  }

  private viewer(userId: string): Viewer {
    const principal = { userId, isPlatformAdmin: false, apiKey: undefined, loginId: undefined };
    return { ...this.place, principal };
  }
}

export async function addWorkspace(
  db: Db,
  { organizationId, workspaceId }: Place,
  by: string,
): Promise<void> {
  await sql`INSERT INTO workspaces (organization_id, id, key, name, created_by)
            VALUES (${organizationId}, ${workspaceId}, ${workspaceId}, 'Any', ${by})`.execute(db);
}
