/** Writers of objects that track the possible content of each, even after writes with an unknown outcome. */
import { randomInt } from 'node:crypto';

/** The store that is written to: a minimal interface, so that it can be the store of a process, a gateway or another. */
export interface WrittenStore {
  put(key: string, content: Buffer): Promise<void>;
  putInParts(key: string, parts: readonly Buffer[]): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  delete(key: string): Promise<void>;
  read(key: string): Promise<Buffer | undefined>;
  /** Whether the error is a refusal that none of these writes should get, as opposed to a missing response or a server error. */
  isRefusal(error: unknown): boolean;
}

/** A tag, repeated to a length: enough to verify the content without keeping it. */
interface Content {
  readonly tag: string;
  readonly sizeBytes: number;
}
const ABSENT = 'absent';
type State = Content | typeof ABSENT;

const KEYS = 6;
const SIZES = [0, 4_096, 70_000, 700_000];
/** The minimum size of a part other than the last. */
const PART_BYTES = 5 * 1024 * 1024;

export type Kind = 'put' | 'putInParts' | 'copy' | 'delete';
const KINDS: readonly Kind[] = ['put', 'put', 'put', 'copy', 'copy', 'delete', 'putInParts', 'putInParts'];

export class ObjectWriter {
  readonly acknowledged: Record<Kind, number> = { put: 0, putInParts: 0, copy: 0, delete: 0 };
  private readonly keys: readonly string[];
  /** One state when it is known, two after a write with an unknown outcome. */
  private readonly states: Map<string, readonly State[]>;
  private count = 0;

  constructor(prefix: string) {
    this.keys = Array.from({ length: KEYS }, (_, number) => `${prefix}${number}`);
    this.states = new Map(this.keys.map((key) => [key, [ABSENT]]));
  }

  /** Writes one object after the other until a write is not acknowledged. */
  async write(store: WrittenStore): Promise<void> {
    for (;;) {
      const kind = KINDS[randomInt(KINDS.length)] ?? 'put';
      const key = this.keys[randomInt(KEYS)] ?? '';
      const before = this.states.get(key) ?? [];
      const { after, send } = this.plan(kind, key, store);
      try {
        await send();
        this.states.set(key, [after]);
        this.acknowledged[kind]++;
      } catch (error) {
        if (store.isRefusal(error)) throw error;
        this.states.set(key, [...before, after]);
        return;
      }
    }
  }

  /** @returns the problems: objects that are lost, torn or reappeared. The states found are expected from then on. */
  async verify(store: WrittenStore): Promise<string[]> {
    const wrong: string[] = [];
    for (const key of this.keys) {
      const states = this.states.get(key) ?? [];
      const found = await store.read(key);
      const state = states.find((candidate) => isSame(candidate, found));
      if (state) this.states.set(key, [state]);
      else wrong.push(`${key} holds ${describe(found)} instead of ${JSON.stringify(states)}`);
    }
    return wrong;
  }

  presentKeys(): string[] {
    return this.keys.filter((key) => this.states.get(key)?.[0] !== ABSENT);
  }

  private plan(kind: Kind, key: string, store: WrittenStore): { after: State; send: () => Promise<void> } {
    const tag = `${key} ${this.count++};`;
    if (kind === 'delete') return { after: ABSENT, send: () => store.delete(key) };
    if (kind === 'copy') {
      const from = this.presentKeys()[0];
      const after = from === undefined ? undefined : this.states.get(from)?.[0];
      if (from !== undefined && from !== key && after) return { after, send: () => store.copy(from, key) };
    }
    if (kind === 'putInParts') {
      const after = { tag, sizeBytes: randomInt(3) === 0 ? PART_BYTES + 100_000 : 200_000 };
      const bytes = toBytes(after);
      const parts = [bytes.subarray(0, PART_BYTES), bytes.subarray(PART_BYTES)].filter(
        ({ length }) => length > 0,
      );
      return { after, send: () => store.putInParts(key, parts) };
    }
    const after = { tag, sizeBytes: SIZES[randomInt(SIZES.length)] ?? 0 };
    return { after, send: () => store.put(key, toBytes(after)) };
  }
}

const toBytes = ({ tag, sizeBytes }: Content): Buffer => Buffer.alloc(sizeBytes, tag);

const isSame = (state: State, found: Buffer | undefined): boolean =>
  state === ABSENT ? found === undefined : found?.equals(toBytes(state)) === true;

const describe = (found: Buffer | undefined) =>
  found ? `${found.length} bytes (${found.toString('latin1', 0, 60)}…)` : ABSENT;
