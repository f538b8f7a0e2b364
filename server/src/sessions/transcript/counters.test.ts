/** After any operation on a transcript, the counters of the session equal the sums over its messages. */
import { expect, test } from 'vitest';
import { Random } from '../../../fuzz/random.ts';
import { startTestServer } from '../../../test/harness.ts';
import { saveSession } from '../../../test/transcripts.ts';

const server = await startTestServer();
const client = server.as(server.owner);

const WALKS = 60;
const STEPS = 10;

interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly object[];
  readonly usage?: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cost_usd: number | null;
  };
}

/** An independent model of the transcript. */
interface Transcript {
  messages: Message[];
  compactions: { readonly up_to_seq: number; readonly summary_seq: number }[];
}

/** Costs are whole thousandths, so that sums have no rounding error. */
const THOUSAND = 1_000;

function makeMessage(random: Random, id: string): Message {
  const role = random.pick(['user', 'assistant', 'assistant', 'tool', 'system'] as const);
  const calls = random.chance(0.3) ? random.integer(0, 3) : undefined;
  const usage = random.chance(0.6) && {
    input_tokens: random.integer(0, 5_000),
    output_tokens: random.integer(0, 500),
    cache_read_input_tokens: random.integer(0, 50),
    cache_creation_input_tokens: random.integer(0, 50),
    cost_usd: random.chance(0.15) ? null : random.integer(0, 3_000) / THOUSAND,
  };
  return {
    id,
    role,
    content: `${role} ${id}`,
    ...(calls !== undefined && {
      tool_calls: Array.from({ length: calls }, (_, n) => ({ id: `${id}-${n}`, name: 'n', arguments: '{}' })),
    }),
    ...(usage && { usage }),
  };
}

function addUp(messages: readonly Message[]) {
  const generations = messages.flatMap(({ role, usage }) => (role === 'assistant' && usage ? [usage] : []));
  const sum = (of: (usage: (typeof generations)[number]) => number) =>
    generations.reduce((total, usage) => total + of(usage), 0);
  return {
    message_count: messages.length,
    input_tokens: sum((usage) => usage.input_tokens),
    output_tokens: sum((usage) => usage.output_tokens),
    cache_read_input_tokens: sum((usage) => usage.cache_read_input_tokens),
    cache_creation_input_tokens: sum((usage) => usage.cache_creation_input_tokens),
    tool_call_count: messages.reduce((total, { tool_calls }) => total + (tool_calls?.length ?? 0), 0),
    cost_usd: generations.some(({ cost_usd }) => cost_usd === null)
      ? null
      : sum(({ cost_usd }) => Math.round((cost_usd ?? 0) * THOUSAND)) / THOUSAND,
  };
}

function expectedOf({ messages, compactions }: Transcript) {
  const boundary = compactions.at(-1)?.up_to_seq ?? 0;
  const prefixed = (prefix: string, sums: object) =>
    Object.fromEntries(Object.entries(sums).map(([name, value]) => [prefix + name, value]));
  const last = messages.findLast(({ role, usage }) => role === 'assistant' && usage);
  return {
    message_count: messages.length,
    recent_message_count: Math.min(25, messages.length - boundary),
    preview_text: messages.find(({ role }) => role === 'user')?.content ?? null,
    usage: {
      compaction_count: compactions.length,
      ...prefixed('total_', addUp(messages)),
      ...prefixed('current_', addUp(messages.slice(boundary))),
      last_generation_input_tokens: last?.usage?.input_tokens ?? null,
    },
  };
}

const eraOf = ({ compactions }: Transcript, seq: number) =>
  compactions.filter(({ up_to_seq }) => up_to_seq < seq).length;

async function walk(seed: number): Promise<void> {
  const random = new Random('transcripts', seed);
  const session = await saveSession(client);
  const kept: Transcript = { messages: [], compactions: [] };
  let made = 0;
  const next = () => makeMessage(random, `${seed}-${made++}`);
  for (let step = 0; step < STEPS; step++) {
    const boundary = kept.compactions.at(-1)?.up_to_seq ?? 0;
    const count = kept.messages.length;
    const kind = random.fraction();
    if (kind < 0.55 || count === 0) {
      const fresh = Array.from({ length: random.integer(1, 5) }, next);
      const known = random.chance(0.3) ? kept.messages.slice(0, 2) : [];
      expect((await session.append([...known, ...fresh])).status).toBe(201);
      kept.messages.push(...fresh);
    } else if (kind < 0.8 && boundary < count) {
      const up_to_seq = random.integer(boundary + 1, count);
      const summary = next();
      expect((await session.compact(up_to_seq, summary)).status).toBe(201);
      kept.messages.push(summary);
      kept.compactions.push({ up_to_seq, summary_seq: count + 1 });
    } else {
      const from = random.integer(1, count);
      expect((await session.rewind(from)).body.restored_content).toBe(kept.messages[from - 1]?.content);
      kept.messages.length = from - 1;
      kept.compactions = kept.compactions.filter(({ summary_seq }) => summary_seq < from);
    }
    const { body } = await session.readAll();
    expect(body.session, `walk ${seed}, step ${step}`).toMatchObject(expectedOf(kept));
    expect(body.session.last_message_at).toBe(body.messages.at(-1)?.created_at ?? null);
    expect(
      body.messages.map(({ id, seq, era }: { id: string; seq: number; era: number }) => [id, seq, era]),
    ).toEqual(kept.messages.map(({ id }, index) => [id, index + 1, eraOf(kept, index + 1)]));
  }
}

test(`${WALKS} random walks`, async () => {
  const seeds = Array.from({ length: WALKS }, (_, seed) => seed);
  await Promise.all(
    [0, 1, 2, 3].map(async (lane) => {
      for (const seed of seeds.filter((one) => one % 4 === lane)) await walk(seed);
    }),
  );
});
