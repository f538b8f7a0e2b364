/** Random traces of one workspace, sent through the API, and everything known about them. */
import { expect } from 'vitest';
import type { Random } from '../fuzz/random.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { SpanType } from '../src/traces/span-types.ts';
import type { Person, TestServer } from './harness.ts';

export interface KnownSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly service: string;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  /** Id of the sender. */
  readonly userId: string;
  readonly sessionId: string | null;
  readonly projectKey: string | null;
  readonly type: SpanType;
  readonly isError: boolean;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: number | null;
}

export interface KnownSession {
  readonly id: string;
  /** Owners whose session with the id was deleted after all spans had arrived. */
  readonly deletedOf: readonly string[];
  /** The current session with the id, if there is one: its owner and its visibility. */
  readonly now: { readonly userId: string; readonly visibility: 'private' | 'workspace' } | undefined;
}

export interface TraceWorld {
  readonly spans: readonly KnownSpan[];
  readonly sessions: ReadonlyMap<string, KnownSession>;
  /** Projects by key, including deleted ones. */
  readonly projects: ReadonlyMap<string, { readonly id: string; readonly isDeleted: boolean }>;
}

const WORKSPACE = '/org/main/ws/main';
const DAY_NS = 86_400_000_000_000n;
export const FIRST_DAY = BigInt(Date.parse('2026-01-10T00:00:00Z')) * 1_000_000n;
export const NAMES = ['chat gpt', 'Tool RUN', 'tool run', 'GET /orders', 'straße', '100%_\\', 'ΣΟΦΟΣ'];
export const MODELS = ['house-5', 'claude', 'Zephyr'];
export const TYPES = ['span', 'llm', 'agent', 'tool', 'chain'] as const;

export const hex = (random: Random, digits: number) =>
  Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('');

export class TraceWorldMaker {
  private readonly server: TestServer;
  private readonly random: Random;
  private readonly people: readonly [owner: Person, ana: Person, ben: Person];

  constructor(server: TestServer, people: readonly [Person, Person, Person], random: Random) {
    this.server = server;
    this.people = people;
    this.random = random;
  }

  async make(traceCount: number): Promise<TraceWorld> {
    const projects = await this.addProjects();
    const sessions = await this.addSessions();
    const spans = Array.from({ length: traceCount }, () =>
      this.randomTrace([...sessions.values()], [...projects.keys()]),
    ).flat();
    await this.send(spans);
    await this.addLateSessions(sessions);
    await this.deleteSome(sessions, projects);
    await this.saveAgain(sessions);
    return { spans, sessions, projects };
  }

  private as(index: 0 | 1 | 2) {
    return this.server.as(this.people[index]);
  }

  private async addProjects() {
    const projects = new Map<string, { id: string; isDeleted: boolean }>();
    for (const key of ['one', 'two', 'gone']) {
      const { body } = await this.as(0).post(`${WORKSPACE}/projects`, { key, name: key });
      projects.set(key, { id: body.id, isDeleted: key === 'gone' });
    }
    return projects;
  }

  /**
   * Sessions of two people, private and shared; some of Ben's that will be deleted; some that are saved too late; and ids without a
   * session.
   */
  private async addSessions(): Promise<Map<string, KnownSession>> {
    const sessions = new Map<string, KnownSession>();
    for (const by of [1, 2] as const) {
      for (const visibility of ['private', 'private', 'workspace'] as const) {
        const id = await this.saveSession(by, visibility);
        sessions.set(id, { id, deletedOf: [], now: { userId: this.people[by].id, visibility } });
      }
    }
    const ben = this.people[2].id;
    for (const deletedOf of [[ben], [ben], [ben], [ben], [], [], [], []]) {
      const id = deletedOf.length > 0 ? await this.saveSession(2, 'workspace') : uuidv7();
      sessions.set(id, { id, deletedOf, now: undefined });
    }
    return sessions;
  }

  private async saveSession(by: 1 | 2, visibility: string, id = uuidv7(), workspace = WORKSPACE) {
    const saved = await this.as(by).post(`${workspace}/sessions`, { id, model: 'm', visibility });
    expect(saved.status, JSON.stringify(saved.body)).toBe(201);
    return id;
  }

  /** Turns ids without a session into sessions: one of Ben's, one that comes and goes, and one in another workspace. */
  private async addLateSessions(sessions: Map<string, KnownSession>): Promise<void> {
    const [late, passing, elsewhere] = [...sessions.values()].filter(
      ({ deletedOf, now }) => deletedOf.length === 0 && !now,
    );
    const id = await this.saveSession(2, 'private', late?.id);
    sessions.set(id, { id, deletedOf: [], now: { userId: this.people[2].id, visibility: 'private' } });
    const passed = await this.saveSession(2, 'private', passing?.id);
    sessions.set(passed, { id: passed, deletedOf: [this.people[2].id], now: undefined });
    await this.saveSession(2, 'private', elsewhere?.id, '/org/main/ws/side');
  }

  private async deleteSome(sessions: ReadonlyMap<string, KnownSession>, projects: TraceWorld['projects']) {
    for (const { id, deletedOf } of sessions.values())
      if (deletedOf.length > 0)
        expect((await this.as(2).delete(`${WORKSPACE}/sessions/${id}`)).status).toBe(204);
    for (const { id, isDeleted } of projects.values())
      if (isDeleted) expect((await this.as(0).delete(`${WORKSPACE}/projects/${id}`)).status).toBe(204);
  }

  /** Saves deleted sessions again: one by its owner, one by Ana. */
  private async saveAgain(sessions: Map<string, KnownSession>): Promise<void> {
    const deleted = [...sessions.values()].filter(({ deletedOf }) => deletedOf.length > 0);
    for (const [index, by] of ([2, 1] as const).entries()) {
      const session = deleted[index] as KnownSession;
      await this.saveSession(by, 'workspace', session.id);
      const now = { userId: this.people[by].id, visibility: 'workspace' } as const;
      sessions.set(session.id, { ...session, now });
    }
  }

  private randomTrace(known: readonly KnownSession[], projectKeys: readonly string[]): KnownSpan[] {
    const { random } = this;
    const traceId = hex(random, 32);
    const ids = Array.from({ length: random.integer(1, 7) }, () => hex(random, 16));
    // Few sessions, so that a trace is often only partly visible.
    const sessions = [null, random.pick(known), random.pick(known)];
    const senders = [random.pick(this.people), random.pick(this.people)];
    const projects = random.chance(0.5) ? [null] : [null, random.pick(projectKeys), random.pick(projectKeys)];
    const begin = FIRST_DAY + BigInt(random.integer(0, 3)) * DAY_NS + BigInt(random.integer(0, 3)) * 1_000n;
    return ids.map((spanId) => {
      const session = random.pick(sessions);
      const owner = session?.now?.userId ?? session?.deletedOf[0];
      const place = {
        traceId,
        spanId,
        // The id of another span, of itself, of one that does not exist, or none.
        parentSpanId: random.chance(0.3) ? null : random.pick([...ids, ...ids, hex(random, 16)]),
        sessionId: session?.id ?? null,
        userId: owner && random.chance(0.6) ? owner : random.pick(senders).id,
        projectKey: random.pick(projects),
      };
      const later = BigInt(random.integer(0, 4)) * (random.chance(0.2) ? DAY_NS / 4n : 700n);
      return Object.assign(place, this.randomContent(begin + later));
    });
  }

  private randomContent(start: bigint) {
    const { random } = this;
    const type = random.pick(TYPES);
    const hasTokens = type !== 'span' && random.chance(0.8);
    return {
      name: random.pick(NAMES),
      service: random.pick(['shop', 'Agent']),
      start,
      end: start + BigInt(random.integer(-1, 9)) * 1_234_567n,
      type,
      isError: random.chance(0.15),
      model: type !== 'span' && random.chance(0.8) ? random.pick(MODELS) : null,
      inputTokens: hasTokens ? random.integer(0, 100) : null,
      outputTokens: hasTokens ? random.integer(0, 100) : null,
      cost: hasTokens && random.chance(0.8) ? random.integer(0, 1_000) / 1_000 : null,
    };
  }

  /** Sends them to the workspace; and the same traces, with other spans, to another workspace and another organization. */
  private async send(spans: readonly KnownSpan[]): Promise<void> {
    const shuffled = spans.toSorted((a, b) => (a.spanId < b.spanId ? -1 : 1));
    for (let from = 0; from < shuffled.length; from += 50) {
      const some = shuffled.slice(from, from + 50);
      for (const [index, { id }] of this.people.entries()) {
        const own = some.filter(({ userId }) => userId === id);
        await this.push('main', own, 'main', () => ({}), index as 0 | 1 | 2);
      }
      await this.push('main', some, 'side', () => ({ spanId: hex(this.random, 16), projectKey: null }));
      await this.push('other', some, 'main', () => ({ projectKey: null }));
    }
  }

  private async push(
    org: string,
    spans: readonly KnownSpan[],
    workspace: string,
    change: () => Partial<KnownSpan>,
    by: 0 | 1 | 2 = 0,
  ): Promise<void> {
    const resourceSpans = spans.map((span) => toResourceSpans(Object.assign({}, span, change()), workspace));
    const pushed = await this.as(by).post(`/org/${org}/otel/traces`, { resourceSpans });
    expect(pushed).toMatchObject({ status: 200, body: {} });
  }
}

const text = (key: string, value: string | null) =>
  value === null ? [] : [{ key, value: { stringValue: value } }];
const integer = (key: string, value: number | null) =>
  value === null ? [] : [{ key, value: { intValue: String(value) } }];

const toResourceSpans = (span: KnownSpan, workspace: string) => ({
  resource: {
    attributes: [
      ...text('service.name', span.service),
      ...text('drydock.workspace', workspace),
      ...text('drydock.project', span.projectKey),
    ],
  },
  scopeSpans: [
    {
      scope: { name: 'test' },
      spans: [
        {
          traceId: span.traceId,
          spanId: span.spanId,
          ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
          name: span.name,
          kind: 1,
          startTimeUnixNano: String(span.start),
          endTimeUnixNano: String(span.end),
          status: { code: span.isError ? 2 : 0 },
          attributes: [
            ...text('session.id', span.sessionId),
            ...(span.type === 'span' ? [] : text('openinference.span.kind', span.type.toUpperCase())),
            ...text('llm.model_name', span.model),
            ...integer('llm.token_count.prompt', span.inputTokens),
            ...integer('llm.token_count.completion', span.outputTokens),
            ...(span.cost === null ? [] : [{ key: 'llm.cost.total', value: { doubleValue: span.cost } }]),
          ],
        },
      ],
    },
  ],
});
