/** Changes sessions one after the other through the API, and records the state after each change. */
import { expect } from 'vitest';
import { Random } from '../fuzz/random.ts';
import { uuidv7 } from '../src/platform/uuid.ts';
import { GROUP_KINDS, SAVED_ORIGINS, type SessionOf } from '../src/sessions/schema.ts';
import type { Client, Person, TestServer } from './harness.ts';
import type { KnownGroup, KnownSession } from './session-model.ts';
import { AGENTS, MODELS, maybe, randomLabels, randomText } from './session-world.ts';
import { SESSIONS } from './transcripts.ts';

/** The sessions and groups of one writer. */
export interface WriterState {
  readonly sessions: ReadonlyMap<string, KnownSession>;
  readonly groups: ReadonlyMap<string, KnownGroup>;
}

type Change = (state: WriterState) => Promise<WriterState>;

const MAX_SESSIONS = 25;

export class SessionChanger {
  /** The state after no change, after one, and so on. */
  readonly states: WriterState[] = [{ sessions: new Map(), groups: new Map() }];
  /** Number of changes sent; all but the last one have a response. */
  begun = 0;
  private readonly client: Client;
  private readonly random: Random;

  constructor(server: TestServer, person: Person, seed: string) {
    this.client = server.as(person);
    this.random = new Random(seed, person.username);
  }

  get respondedCount(): number {
    return this.states.length - 1;
  }

  async change(): Promise<void> {
    const state = this.states.at(-1) as WriterState;
    this.begun++;
    this.states.push(await this.pick(state)(state));
  }

  private pick({ sessions }: WriterState): Change {
    if (sessions.size < 3) return this.save;
    if (sessions.size > MAX_SESSIONS) return this.delete;
    return this.random.weighted<Change>([
      [3, this.save],
      [3, this.update],
      [1, this.saveAgain],
      [2, this.setState],
      [2, this.say],
      [2, this.changeGroup],
      [1, this.delete],
    ]);
  }

  private readonly save: Change = async (state) => {
    const { random } = this;
    const request = {
      id: uuidv7(),
      model: random.pick(MODELS),
      agent: random.pick([...AGENTS, null]),
      title: randomText(random),
      labels: randomLabels(random),
      origin: random.chance(0.7) ? 'user' : random.pick(SAVED_ORIGINS),
      visibility: random.pick(['private', 'workspace']),
      group_id: maybe(random, 0.5, () => random.pick([...state.groups.keys(), null])),
    };
    const { status, body } = await this.client.post(SESSIONS, request);
    expect(status, JSON.stringify(body)).toBe(201);
    return withSession(state, { session: body, messages: [] });
  };

  private readonly saveAgain: Change = async (state) => {
    const { session, messages } = this.any(state);
    const request = { id: session.id, model: this.random.pick(MODELS), title: randomText(this.random) };
    const { status, body } = await this.client.post(SESSIONS, request);
    expect(status, JSON.stringify(body)).toBe(200);
    return withSession(state, { session: body, messages });
  };

  private readonly update: Change = async (state) => {
    const { session, messages } = this.any(state);
    const { random } = this;
    const request = {
      title: random.pick([randomText(random), null]),
      agent: random.pick([...AGENTS, null]),
      labels: maybe(random, 0.5, () => randomLabels(random)),
      visibility: maybe(random, 0.2, () => 'workspace'),
    };
    const { status, body } = await this.client.patch(`${SESSIONS}/${session.id}`, request);
    expect(status, JSON.stringify(body)).toBe(200);
    return withSession(state, { session: body, messages });
  };

  private readonly setState: Change = async (state) => {
    const { session, messages } = this.any(state);
    const action = this.random.pick(['archive', 'unarchive', 'freeze']);
    const { status, body } = await this.client.post(`${SESSIONS}/${session.id}/${action}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return withSession(state, { session: body, messages });
  };

  private readonly say: Change = async (state) => {
    const { session, messages } = this.any(state);
    const content = `said ${randomText(this.random)}`;
    const path = `${SESSIONS}/${session.id}`;
    const { status, body } = await this.client.post(`${path}/transcript`, {
      messages: [{ role: 'assistant', content }],
    });
    expect(status, JSON.stringify(body)).toBe(session.frozen_at === null ? 201 : 409);
    if (status === 409) return state;
    return withSession(state, { session: body.session, messages: [...messages, content] });
  };

  private readonly changeGroup: Change = async (state) => {
    const [id, group] = this.random.pick([...state.groups].concat([['', { kind: '', status: null }]]));
    const asked = id ? { status: 'completed' } : { kind: this.random.pick(GROUP_KINDS) };
    if (group.status === 'completed') return state;
    const { status, body } = id
      ? await this.client.patch(`${SESSIONS}/groups/${id}`, asked)
      : await this.client.post(`${SESSIONS}/groups`, asked);
    expect(status, JSON.stringify(body)).toBe(id ? 200 : 201);
    const changed: KnownGroup = { kind: body.kind, status: body.status };
    return { ...state, groups: new Map(state.groups).set(body.id, changed) };
  };

  private readonly delete: Change = async (state) => {
    const { session } = this.any(state);
    // Sessions of an evaluation stay.
    if (state.groups.get(session.group_id ?? '')?.kind === 'evaluation_item') return state;
    expect((await this.client.delete(`${SESSIONS}/${session.id}`)).status).toBe(204);
    const sessions = new Map(state.sessions);
    sessions.delete(session.id);
    return { ...state, sessions };
  };

  private any({ sessions }: WriterState): KnownSession {
    return this.random.pick([...sessions.values()]);
  }
}

function withSession(state: WriterState, known: KnownSession & { readonly session: SessionOf }): WriterState {
  return { ...state, sessions: new Map(state.sessions).set(known.session.id, known) };
}
