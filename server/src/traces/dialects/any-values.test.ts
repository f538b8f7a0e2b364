/** Fuzz test: spans with random values under every known attribute name are interpreted and read, and interpretation stays fast. */
import { expect, test } from 'vitest';
import { type Attributes, decodedSpan, type Plain, spanSource } from '../../../test/decoded-spans.ts';
import { GENAI_LATEST } from '../../../test/genai-spans.ts';
import { Double } from '../otlp/model.ts';
import { RULES } from './conventions.ts';
import { interpret } from './interpret.ts';
import type { Message } from './message-values.ts';
import { readMessages } from './messages.ts';

/** Produces the same numbers in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS = [
  'role',
  'user',
  'assistant',
  'content',
  'parts',
  'type',
  'text',
  'message',
  'messages',
  'choices',
  'tool_calls',
  'tool_call',
  'tool_call_response',
  'function',
  'name',
  'arguments',
  'id',
  'toolUse',
  'toolResult',
  'blob',
  '__proto__',
  'constructor',
  'toString',
  '',
  '\0',
  '\uD800',
  '[',
  '{"',
  '[{',
  '[{"role":"user"}]',
  '[[]]',
  '[{"text":"a"}]',
  'null',
];
const INDEXED = [
  'gen_ai.prompt',
  'gen_ai.completion',
  'llm.input_messages',
  'llm.output_messages',
  'llm.prompts',
];
const ENDS = [
  'role',
  'content',
  'message.content',
  'message.contents.0.message_content.text',
  'tool_calls.0.name',
  'x',
];
const EVENTS = [
  'gen_ai.user.message',
  'gen_ai.tool.message',
  'gen_ai.assistant.message',
  'gen_ai.choice',
  'gen_ai.content.prompt',
  'gen_ai.content.completion',
  'gen_ai.client.inference.operation.details',
  'exception',
];

class Generator {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = randomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  of<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  value(depth = 0): Plain {
    const choice = this.below(depth > 4 ? 8 : 12);
    if (choice < 3) return this.of(WORDS);
    if (choice === 3) return new Double(this.of([Number.NaN, -0, 1.5, 1e308, Number.POSITIVE_INFINITY]));
    if (choice === 4) return this.of([0, -1, 7, 2 ** 53]);
    if (choice === 5) return this.of([null, true, 2n ** 63n - 1n, new Uint8Array(3)]);
    if (choice < 8) return depth > 4 ? '' : toJson(this.value(depth + 1));
    if (choice < 10) return Array.from({ length: this.below(4) }, () => this.value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: this.below(5) }, () => [this.of(WORDS), this.value(depth + 1)]),
    );
  }

  name(): string {
    const choice = this.below(4);
    if (choice === 0)
      return `${this.of(INDEXED)}.${this.of(['0', '1', '12', '999999999', 'x', ''])}.${this.of(ENDS)}`;
    return choice === 1 ? this.of(WORDS) : this.of([...RULES.keys(), 'gen_ai.system_instructions', 'body']);
  }

  attributes(): Attributes {
    return Object.fromEntries(Array.from({ length: this.below(8) }, () => [this.name(), this.value()]));
  }
}

interface Stored {
  readonly attributes: Record<string, unknown>;
  readonly events: { readonly name: string; readonly attributes: Record<string, unknown> }[];
}

/** Mimics how values are stored: what JSON cannot represent becomes an object. */
const toJson = (value: Plain) =>
  JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return JSON.parse(String(item)) as number;
    if (item instanceof Uint8Array) return { bytesValue: 'AAAA' };
    return item instanceof Double ? item.value : item;
  });

const isFact = (value: unknown) =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value) && value >= 0) ||
  (typeof value === 'string' && value.length <= 256 && value.isWellFormed() && !value.includes('\0'));

const isMessage = ({ role, content }: Message) =>
  typeof role === 'string' && (content === null || typeof content === 'string' || Array.isArray(content));

test('interpret and readMessages accept arbitrary attribute values', () => {
  const odd: number[] = [];
  for (let seed = 1; seed <= 5000; seed++) {
    const random = new Generator(seed);
    const attributes = random.attributes();
    const events = Array.from({ length: random.below(3) }, () => ({
      name: random.of(EVENTS),
      attributes: random.attributes(),
    }));
    const facts = interpret(decodedSpan({ attributes, events }), spanSource(random.attributes()));
    const stored = JSON.parse(toJson({ attributes, events })) as Stored;
    const { input, output } = readMessages(stored.attributes, stored.events);
    const isSent = JSON.stringify([input, output]).length > 0;
    if (!isSent || !Object.values(facts).every(isFact) || ![...input, ...output].every(isMessage))
      odd.push(seed);
  }
  expect(odd).toEqual([]);
});

test('interpret costs little time per span', () => {
  const {
    'gen_ai.input.messages': _input,
    'gen_ai.output.messages': _output,
    ...bare
  } = GENAI_LATEST.attributes ?? {};
  const http = { 'http.request.method': 'GET', 'url.path': '/', 'server.address': 'a', 'server.port': 80 };
  const pace = (attributes: Attributes) => {
    const span = decodedSpan({ attributes });
    const source = spanSource();
    for (let warm = 0; warm < 20_000; warm++) interpret(span, source);
    const rounds = 50_000;
    const before = process.threadCpuUsage();
    for (let round = 0; round < rounds; round++) interpret(span, source);
    const { user, system } = process.threadCpuUsage(before);
    return Math.round((rounds / (user + system)) * 1_000_000);
  };
  const paces = { bare: pace({ ...bare, ...http }), messages: pace({ ...GENAI_LATEST.attributes, ...http }) };
  console.log(
    `interpret: ${paces.bare} spans per second of a core without messages, ${paces.messages} with them`,
  );
  // A fifth of the usual rate, since tests run in parallel and processors differ.
  expect(paces.bare).toBeGreaterThan(50_000);
  expect(paces.messages).toBeGreaterThan(15_000);
});
