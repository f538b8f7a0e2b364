/** Clients that write sessions and track the expected content of each: a request without a response is repeated until it has one. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '../src/platform/uuid.ts';
import type { MessageRequest } from '../src/sessions/transcript/schema.ts';
import type { ProcessResponse } from './processes.ts';

/** A response that is unexpected here, except for a few that are expected by name. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(`${status}: ${message}`);
    this.status = status;
  }
}

/** The server to which sessions are written. */
export interface SessionPlace {
  /** Path below the workspace. Rejects with a Refusal if the server refuses, and with any other error if the outcome is unknown. */
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<ProcessResponse<unknown>>;
}

export type SentMessage = MessageRequest & { readonly id: string };

export interface Appended {
  readonly messages: readonly { readonly id: string; readonly seq: number }[];
}

const RETRY_MS = 50;
/** Far above the duration of a start: only a server that does not come back reaches it. */
const WAIT_TIMEOUT_MS = 60_000;
const ROLES = ['user', 'assistant', 'tool'] as const;

/** A message of any role, with and without calls, usage and costs; the figures add up without rounding. */
export function newMessage(id: string = uuidv7()): SentMessage {
  const number = randomInt(1_000);
  const role = ROLES[number % ROLES.length] ?? 'user';
  const content = `Größe ${number} of ${id}`;
  if (role === 'tool') return { id, role, content, tool_call_id: `call-${number}` };
  if (role === 'user') return { id, role, content };
  const calls = Array.from({ length: number % 3 }, (_, index) => ({
    id: `call-${number + index}`,
    name: 'run',
    arguments: JSON.stringify({ number }),
  }));
  const usage = {
    input_tokens: number,
    output_tokens: number + 1,
    cache_read_input_tokens: number % 7,
    cache_creation_input_tokens: number % 5,
    ...(number % 50 > 0 && { cost_usd: number / 64 }),
  };
  return {
    id,
    role,
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(number % 4 > 0 && { usage }),
  };
}

export class SessionWriter {
  /** `found`: appends that had taken effect without a response. */
  readonly counts = { append: 0, compaction: 0, rewind: 0, save: 0, repetition: 0, found: 0 };
  /** Sessions to which other writers append as well. */
  private readonly shared: readonly string[];
  /** Acknowledged messages of the shared sessions, with the sequence number in the response. */
  readonly acknowledged = new Map<string, { readonly message: SentMessage; readonly seq: number }[]>();
  /** A session that no other writer uses, so that its whole transcript is known. */
  readonly own = uuidv7();
  readonly transcript: SentMessage[] = [];
  /** Titles of the sessions that were saved. */
  readonly saved = new Map<string, string>();
  private boundaries: { readonly upTo: number; readonly summary: number }[] = [];

  constructor(shared: readonly string[]) {
    this.shared = shared;
  }

  async begin(place: SessionPlace): Promise<void> {
    await this.save(place, this.own);
  }

  /** Writes one after the other until the signal; completes what it has begun. */
  async write(place: SessionPlace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.step(place);
  }

  private async step(place: SessionPlace): Promise<void> {
    const choice = randomInt(12);
    if (choice < 5) return this.appendShared(place);
    if (choice < 8) return this.appendOwn(place);
    if (choice === 8) return this.compact(place);
    if (choice === 9) return this.rewind(place);
    const known = [...this.saved.keys()][randomInt(this.saved.size)];
    await this.save(place, choice === 10 ? uuidv7() : (known ?? uuidv7()));
  }

  private async appendShared(place: SessionPlace): Promise<void> {
    const session = this.shared[randomInt(this.shared.length)] ?? '';
    const messages = newMessages();
    const response = await this.append(place, session, messages);
    const reported = response.messages.map(({ id, seq }) => ({ message: find(messages, id), seq }));
    this.acknowledged.set(session, [...(this.acknowledged.get(session) ?? []), ...reported]);
  }

  private async appendOwn(place: SessionPlace): Promise<void> {
    const messages = newMessages();
    await this.append(place, this.own, messages);
    this.transcript.push(...messages);
  }

  private async append(place: SessionPlace, session: string, messages: SentMessage[]): Promise<Appended> {
    const path = `/sessions/${session}/transcript`;
    const response = (await this.insist(place, path, { messages })) as Appended;
    if (response.messages.length !== messages.length)
      throw new Error(`not every message was acknowledged: ${JSON.stringify(response)}`);
    this.counts.append++;
    return response;
  }

  private async compact(place: SessionPlace): Promise<void> {
    const upTo = this.transcript.length - randomInt(3);
    if (upTo <= (this.boundaries.at(-1)?.upTo ?? 0)) return;
    const summary = newMessage();
    await this.insist(place, `/sessions/${this.own}/transcript/compact`, { up_to_seq: upTo, summary });
    this.transcript.push(summary);
    this.boundaries.push({ upTo, summary: this.transcript.length });
    this.counts.compaction++;
  }

  /** No other writer adds to it: if the messages are gone, an earlier attempt has removed them. */
  private async rewind(place: SessionPlace): Promise<void> {
    const from_seq = this.transcript.length - randomInt(6);
    if (from_seq < 1) return;
    const isGone = (error: unknown) => error instanceof Refusal && error.status === 422;
    await this.insist(place, `/sessions/${this.own}/rewind`, { from_seq }, isGone);
    this.transcript.splice(from_seq - 1);
    this.boundaries = this.boundaries.filter(({ summary }) => summary < from_seq);
    this.counts.rewind++;
  }

  private async save(place: SessionPlace, id: string): Promise<void> {
    const title = `Title ${randomInt(1_000_000)}`;
    await this.insist(place, '/sessions', { id, model: 'sim/echo', title, labels: { round: ['one'] } });
    this.saved.set(id, title);
    this.counts.save++;
  }

  /** @param isDone whether a refusal shows that an earlier attempt took effect; the result is undefined then */
  private async insist(
    place: SessionPlace,
    path: string,
    body: unknown,
    isDone?: (error: unknown) => boolean,
  ): Promise<unknown> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        const response = await place.send('POST', path, body);
        if (attempt > 0 && response.status === 200 && path.endsWith('/transcript')) this.counts.found++;
        return response.body;
      } catch (error) {
        if (attempt > 0 && isDone?.(error)) return undefined;
        if (error instanceof Refusal || performance.now() > deadline) throw error;
        this.counts.repetition++;
        await sleep(RETRY_MS);
      }
    }
  }
}

const newMessages = () => Array.from({ length: 1 + randomInt(5) }, () => newMessage());

function find(messages: readonly SentMessage[], id: string): SentMessage {
  const found = messages.find((message) => message.id === id);
  if (!found) throw new Error(`${id} was acknowledged but not sent`);
  return found;
}
