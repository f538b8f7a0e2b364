/** Inserts sessions of random shapes directly into their table, and changes them there repeatedly. */
import { sql } from 'kysely';
import { Random } from '../fuzz/random.ts';
import type { Db } from '../src/platform/db/connect.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { GROUP_KINDS, GROUP_STATUSES, ORIGINS } from '../src/sessions/schema.ts';
import type { SessionFilter } from '../src/sessions/search/query.ts';
import type { PageOrder } from '../src/sessions/search/session-index.ts';
import { toSearchText } from '../src/sessions/search-text.ts';
import type { Viewer } from '../src/sessions/visibility.ts';

const MODELS = ['opus', 'gpt', 'ünïcode', 'sim/echo'];
const AGENTS = ['planner', 'coder', 'Ω', null, null];
const KEYS = ['team', 'run', 'a:b', '😀'];
const VALUES = ['red', 'blue', '', 'x:y', 'ẞ'];
const WORDS = ['alpha', 'Beta', 'ΣΟΦΟΣ', '100%', 'a_b', '\\', 'İstanbul', '\uFFFF', 'naïve'];

export class RandomSessions {
  readonly ids: string[] = [];
  readonly groups: string[] = [];
  private readonly db: Db;
  private readonly place: Pick<Viewer, 'organizationId' | 'workspaceId'>;
  private readonly users: readonly string[];
  private readonly random: Random;
  private readonly projects = [uuidv7(), uuidv7()];

  constructor(
    db: Db,
    place: Pick<Viewer, 'organizationId' | 'workspaceId'>,
    users: readonly string[],
    seed: string,
  ) {
    this.db = db;
    this.place = place;
    this.users = users;
    this.random = new Random(seed, 'sessions');
  }

  async addGroup(): Promise<void> {
    const { random, place, users } = this;
    const id = uuidv7();
    const status = random.chance(0.2) ? null : random.pick(GROUP_STATUSES);
    await sql`INSERT INTO session_groups (organization_id, id, workspace_id, kind, status, created_by)
              VALUES (${place.organizationId}, ${id}, ${place.workspaceId}, ${random.pick(GROUP_KINDS)}, ${status},
                      ${users[0]})`.execute(this.db);
    this.groups.push(id);
  }

  async changeGroup(): Promise<void> {
    const id = this.random.pick(this.groups);
    await sql`UPDATE session_groups SET status = ${this.random.pick([...GROUP_STATUSES, null])}
               WHERE organization_id = ${this.place.organizationId} AND id = ${id}`.execute(this.db);
  }

  async add(id: string = uuidv7(), db: Db = this.db): Promise<string> {
    const { random } = this;
    const title = random.chance(0.3) ? null : this.text();
    const at = new Date(Date.UTC(2026, 0, 1) + random.integer(0, 40)).toISOString();
    await sql`
      INSERT INTO sessions (organization_id, id, workspace_id, user_id, model, agent, title, origin, visibility, labels,
                            group_id, project_id, archived_at, frozen_at, frozen_by, claimed_message_count, last_message_at,
                            search_text, created_at, updated_at)
      SELECT ${this.place.organizationId}, ${id}, ${this.place.workspaceId}, ${random.pick(this.users)},
             ${random.pick(MODELS)}, ${random.pick(AGENTS)}, ${title}, ${random.pick(ORIGINS)},
             ${random.pick(['private', 'workspace'])}, ${JSON.stringify(this.labels())}::jsonb,
             ${random.chance(0.5) ? random.pick([...this.groups, null]) : null}::uuid,
             ${random.pick([...this.projects, null])}::uuid,
             ${random.chance(0.3) ? at : null}::timestamptz, ${random.chance(0.3) ? at : null}::timestamptz, NULL,
             ${random.integer(0, 5)}::int, ${random.chance(0.5) ? at : null}::timestamptz,
             ${toSearchText(title, random.chance(0.5) ? this.text() : null)}, ${at}::timestamptz, ${at}::timestamptz
     ON CONFLICT DO NOTHING`.execute(db);
    if (!this.ids.includes(id)) this.ids.push(id);
    return id;
  }

  /** Applies one of the changes that a session can go through. */
  async change(): Promise<void> {
    const { random, place } = this;
    const id = random.pick(this.ids);
    const isIt = sql`organization_id = ${place.organizationId} AND id = ${id}`;
    const title = this.text();
    const kind = random.integer(0, 6);
    if (kind === 0) await sql`DELETE FROM sessions WHERE ${isIt}`.execute(this.db);
    else if (kind === 1) await this.add(id);
    else if (kind === 2) await this.add();
    else if (kind === 3) await this.changeGroup();
    else if (kind === 4)
      await sql`UPDATE sessions SET archived_at = CASE WHEN archived_at IS NULL THEN now() END,
                  visibility = 'workspace', model = ${random.pick(MODELS)} WHERE ${isIt}`.execute(this.db);
    else if (kind === 5)
      await sql`UPDATE sessions SET title = ${title}, search_text = ${toSearchText(title, null)}, updated_at = now(),
                  agent = ${random.pick(AGENTS)} WHERE ${isIt}`.execute(this.db);
    else
      await sql`UPDATE sessions SET labels = ${JSON.stringify(this.labels())}::jsonb, last_message_at = now(),
                  group_id = ${random.pick([...this.groups, null])} WHERE ${isIt}`.execute(this.db);
  }

  filter(): SessionFilter {
    const { random } = this;
    const some = <T>(values: readonly T[]) =>
      random.chance(0.25)
        ? Array.from({ length: random.integer(0, 3) }, () => random.pick(values))
        : undefined;
    return {
      userId: random.chance(0.1) ? random.pick(this.users) : undefined,
      userIds: some(this.users),
      projectIds: some([...this.projects, uuidv7()]),
      agents: some(['planner', 'coder', 'Ω', 'nobody']),
      models: some([...MODELS, 'nothing']),
      origins: some(ORIGINS),
      archived: random.pick(['active', 'inactive', 'archived', 'any']),
      labels: KEYS.filter(() => random.chance(0.12)).map((key) => ({
        key,
        values: Array.from({ length: random.integer(1, 2) }, () => random.pick([...VALUES, 'none'])),
      })),
      search: random.chance(0.3) ? this.search() : undefined,
    };
  }

  order(): PageOrder {
    const { random } = this;
    return {
      sort_by: random.pick(['created_at', 'updated_at', 'last_message_at', 'message_count'] as const),
      sort_dir: random.pick(['asc', 'desc'] as const),
      offset: random.integer(0, 30),
      limit: random.integer(1, 40),
    };
  }

  /** Returns a part of one word or two, as a search does. */
  private search(): string {
    const text = toSearchText(this.text(), null).replaceAll('\uFFFF', '');
    const characters = Array.from(text);
    const from = this.random.integer(0, characters.length - 1);
    return characters.slice(from, from + this.random.integer(1, 6)).join('');
  }

  private text(): string {
    return Array.from({ length: this.random.integer(1, 4) }, () => this.random.pick(WORDS)).join(' ');
  }

  private labels(): Record<string, string[]> {
    const keys = KEYS.filter(() => this.random.chance(0.35));
    return Object.fromEntries(keys.map((key) => [key, VALUES.filter(() => this.random.chance(0.3))]));
  }
}
