/** A random workspace full of sessions, created through the API, the same for the same seed. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Random } from '../fuzz/random.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import {
  GROUP_KINDS,
  GROUP_STATUSES,
  ORIGINS,
  SAVED_ORIGINS,
  type SessionOf,
} from '../src/sessions/schema.ts';
import type { Person, TestServer } from './harness.ts';
import type { KnownGroup, KnownSession, KnownWorld, SearchQuery } from './session-model.ts';
import { SESSIONS } from './transcripts.ts';

export const MODELS = ['acme/large', 'Acme/large', 'a_b%', 'ß', '\u{1F680}', '\uFF5E'];
export const AGENTS = ['helper', 'Helper', '%', 'sub\\agent', '', '数学'];
export const LABELS: Readonly<Record<string, readonly string[]>> = {
  team: ['red', 'Red', 'a:b', ':', ''],
  'odd "key"': ['%', '_', '\\', "it's", '{"a": 1}'],
  İ: ['ς', 'Σ', '\u{1F680}', '\uFF5E'],
  '10': ['10', '9'],
  empty: [],
};
export const WORDS = [
  'Which files',
  'ΟΔΟΣ σοφος',
  'İstanbul',
  '100%',
  'under_score',
  'back\\slash',
  'naïve',
  '\u{1F680}',
  '数学 題',
];
export const SEARCHES = [
  'FILES',
  'which f',
  'σοφος',
  'ΣΟΦΟΣ',
  'οδο',
  'i',
  'İ',
  '%',
  '_',
  '\\',
  '0%',
  'r_s',
  'NAÏVE',
  '\u{1F680}',
  '学',
  'title',
  'said',
  ' ',
  '',
  'no such thing',
  '\uFFFF',
];

export const some = <T>(random: Random, values: readonly T[], most: number): T[] => [
  ...new Set(Array.from({ length: values.length && random.integer(0, most) }, () => random.pick(values))),
];
export const maybe = <T>(random: Random, probability: number, make: () => T): T | undefined =>
  random.chance(probability) ? make() : undefined;

export function randomLabels(random: Random): Record<string, string[]> {
  const keys = some(random, Object.keys(LABELS), 3);
  return Object.fromEntries(keys.map((key) => [key, some(random, LABELS[key] ?? [], 3).toSorted()]));
}

export const randomText = (random: Random) => [random.pick(WORDS), ...some(random, WORDS, 2)].join(' ');

export interface World extends KnownWorld {
  readonly people: readonly Person[];
  /** Sessions still refer to this deleted project. */
  readonly deletedProjectId: string;
}

/** Creates the sessions of one workspace only, although other workspaces and organizations have the same names. */
export class WorldMaker {
  private readonly server: TestServer;
  private readonly random: Random;
  private readonly people: readonly Person[];

  constructor(server: TestServer, people: readonly Person[], random: Random) {
    this.server = server;
    this.people = people;
    this.random = random;
  }

  async make(sessionCount: number): Promise<World> {
    const groups = await this.addGroups();
    const { projects, deletedProjectId } = await this.addProjects();
    const projectIds = [...projects.map(({ id }) => id), deletedProjectId];
    const sessions: KnownSession[] = [];
    for (let index = 0; index < sessionCount; index++) {
      sessions.push(await this.addSession([...groups.keys()], projectIds));
    }
    await this.as(this.people[0]).delete(`/org/main/ws/main/projects/${deletedProjectId}`);
    const known = await Promise.all(sessions.map((session) => this.readAgain(session)));
    const users = this.people.map(({ id, username, email }) => ({ id, username, email, full_name: null }));
    return { sessions: known, groups, users, projects, people: this.people, deletedProjectId };
  }

  private as(person: Person | undefined) {
    return this.server.as(person);
  }

  private async addGroups(): Promise<Map<string, KnownGroup>> {
    const groups = new Map<string, KnownGroup>();
    for (const kind of GROUP_KINDS) {
      for (const status of [...GROUP_STATUSES, null]) {
        const { body } = await this.as(this.people[0]).post(`${SESSIONS}/groups`, { kind, status });
        groups.set(body.id, { kind, status });
      }
    }
    return groups;
  }

  private async addProjects() {
    const projects: { id: string; key: string }[] = [];
    for (const key of ['one', 'two', 'gone']) {
      const made = await this.as(this.people[0]).post('/org/main/ws/main/projects', { key, name: key });
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      projects.push({ id: made.body.id, key });
    }
    const deletedProjectId = projects.pop()?.id ?? '';
    return { projects, deletedProjectId };
  }

  private async addSession(
    groupIds: readonly string[],
    projectIds: readonly string[],
  ): Promise<KnownSession> {
    const { random } = this;
    const owner = random.pick(this.people);
    const request = {
      id: uuidv7(),
      model: random.pick(MODELS),
      agent: maybe(random, 0.7, () => random.pick(AGENTS)),
      title: maybe(random, 0.6, () => `Title ${randomText(random)}`),
      labels: randomLabels(random),
      origin: random.chance(0.6) ? 'user' : random.pick(SAVED_ORIGINS),
      visibility: random.pick(['private', 'workspace']),
      message_count: random.integer(0, 3),
      group_id: maybe(random, 0.4, () => random.pick(groupIds)),
      project_id: maybe(random, 0.5, () => random.pick(projectIds)),
    };
    const saved = await this.as(owner).post(SESSIONS, request);
    expect(saved.status, JSON.stringify(saved.body)).toBe(201);
    const messages = random.chance(0.5) ? await this.say(owner, request.id) : [];
    for (const change of ['archive', 'freeze']) {
      if (random.chance(0.25)) await this.as(owner).post(`${SESSIONS}/${request.id}/${change}`);
    }
    await this.changeRow(saved.body);
    return { session: saved.body, messages };
  }

  private async say(owner: Person, id: string): Promise<string[]> {
    const texts = Array.from({ length: this.random.integer(1, 3) }, () => `said ${randomText(this.random)}`);
    const messages = texts.map((content) => ({ role: this.random.pick(['user', 'assistant']), content }));
    const output = await this.as(owner).post(`${SESSIONS}/${id}/transcript`, { messages });
    expect(output.status, JSON.stringify(output.body)).toBe(201);
    return texts;
  }

  /** Sets fields that no client can set; and uses few different times, so that many sessions share one. */
  private async changeRow({ id, origin }: SessionOf): Promise<void> {
    const { random } = this;
    const at = () => `2026-01-0${random.integer(1, 4)}T00:00:00Z`;
    const output = random.chance(0.5) && origin !== 'user' ? random.pick(ORIGINS) : origin;
    await sql`
      UPDATE sessions SET origin = ${output}, created_at = ${at()}, updated_at = ${at()},
             last_message_at = CASE WHEN last_message_at IS NULL THEN NULL ELSE ${at()}::timestamptz END
       WHERE id = ${id} /* of every organization */`.execute(this.server.db);
  }

  private async readAgain({ session, messages }: KnownSession): Promise<KnownSession> {
    const owner = this.people.find(({ id }) => id === session.user_id);
    return { session: (await this.as(owner).get(`${SESSIONS}/${session.id}`)).body, messages };
  }
}

/** Combines all query parameters at random. */
export function randomQuery(random: Random, world: World): SearchQuery {
  const people = [...world.people.flatMap(({ id, username }) => [id, username, id.toUpperCase()]), 'nobody'];
  const projects = world.projects.flatMap(({ id, key }) => [id, key]);
  const labels = Object.entries(LABELS).flatMap(([key, values]) =>
    [...values, 'none'].map((value) => `${key}:${value}`),
  );
  const list = <T>(values: readonly T[]) => [random.pick(values), ...some(random, values, 2)];
  return {
    user_id: maybe(random, 0.1, () => random.pick([...world.people.map(({ id }) => id), uuidv7()])),
    user: maybe(random, 0.2, () => list(people)),
    project_id: maybe(random, 0.2, () => list([...projects, world.deletedProjectId, uuidv7(), 'none', ''])),
    agent: maybe(random, 0.2, () => list([...AGENTS, 'none'])),
    model: maybe(random, 0.2, () => list([...MODELS, 'none'])),
    origin: maybe(random, 0.2, () => list(ORIGINS)),
    archived: maybe(random, 0.4, () => random.pick(['active', 'inactive', 'archived', 'any'] as const)),
    label: maybe(random, 0.25, () => list(labels)),
    search: maybe(random, 0.3, () => random.pick(SEARCHES)),
    include_workload_sessions: maybe(random, 0.4, () => random.chance(0.7)),
    ...randomOrder(random),
  };
}

export function randomOrder(random: Random): SearchQuery {
  const keys = ['created_at', 'updated_at', 'last_message_at', 'title', 'message_count'] as const;
  return {
    sort_by: maybe(random, 0.7, () => random.pick(keys)),
    sort_dir: maybe(random, 0.5, () => random.pick(['asc', 'desc'] as const)),
    page: maybe(random, 0.3, () => random.integer(1, 4)),
    limit: maybe(random, 0.4, () => random.pick([1, 2, 5, 10, 100])),
  };
}
