/** The parts of a chat completion in order: reasoning, text, refusals and tool calls, complete or streamed. */
import { ApiError } from '../../platform/errors.ts';
import type { ChatCompletion } from '../../platform/llm/chat-model.ts';
import { uuidv7, withoutDashes } from '../../platform/uuid.ts';

export interface TextPart {
  readonly kind: 'reasoning' | 'text' | 'refusal';
  text: string;
}

export interface CallPart {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  /** Arguments as written by the model. */
  text: string;
}

export type Part = TextPart | CallPart;

export type PartEvent =
  | { readonly type: 'start' | 'end'; readonly part: Part }
  | { readonly type: 'delta'; readonly part: Part; readonly text: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads the first choice of a stream. Parts do not overlap: each ends before the next one starts. */
export class PartReader {
  /** Reason why the model stopped; undefined until then. */
  finishReason: string | undefined;
  reasoningTokens = 0;
  #open: Part | undefined;
  /** Calls by their index, as numbered by the provider. */
  readonly #calls = new Map<number, CallPart>();

  *read(chunk: ChatCompletion): Generator<PartEvent> {
    this.reasoningTokens = reasoningTokensOf(chunk) ?? this.reasoningTokens;
    const choice = firstChoice(chunk);
    const delta = fieldsOf(choice['delta']);
    yield* this.#text('reasoning', reasoningOf(delta));
    yield* this.#text('text', textOf(delta['content']));
    yield* this.#text('refusal', textOf(delta['refusal']));
    for (const call of listOf(delta['tool_calls'])) yield* this.#call(fieldsOf(call));
    const reason = choice['finish_reason'];
    if (typeof reason === 'string') this.finishReason = reason;
  }

  /** Ends the open part. */
  *end(): Generator<PartEvent> {
    const part = this.#open;
    this.#open = undefined;
    if (part) yield { type: 'end', part };
  }

  *#text(kind: TextPart['kind'], text: string): Generator<PartEvent> {
    if (text === '') return;
    if (this.#open?.kind !== kind) yield* this.#start({ kind, text: '' });
    yield* this.#add(text);
  }

  *#call(delta: Fields): Generator<PartEvent> {
    const called = fieldsOf(delta['function']);
    const id = textOf(delta['id']);
    const index = indexOf(delta) ?? this.#indexById(id);
    const known = this.#calls.get(index);
    const isNew = !known || (id !== '' && id !== known.id && textOf(called['name']) !== '');
    if (isNew) {
      const part: CallPart = { kind: 'call', id: id || newCallId(), name: textOf(called['name']), text: '' };
      this.#calls.set(index, part);
      yield* this.#start(part);
    } else if (known !== this.#open) throw interleaved(known);
    yield* this.#add(textOf(called['arguments']));
  }

  #indexById(id: string): number {
    if (id === '') return Math.max(0, this.#calls.size - 1);
    for (const [index, call] of this.#calls) if (call.id === id) return index;
    return this.#calls.size;
  }

  *#start(part: Part): Generator<PartEvent> {
    yield* this.end();
    this.#open = part;
    yield { type: 'start', part };
  }

  *#add(text: string): Generator<PartEvent> {
    const part = this.#open;
    if (!part || text === '') return;
    part.text += text;
    yield { type: 'delta', part, text };
  }
}

/** Returns the parts of a complete completion, and its finish reason. */
export function readParts(completion: ChatCompletion): {
  readonly parts: readonly Part[];
  readonly finishReason: string | undefined;
  readonly reasoningTokens: number;
} {
  const choice = firstChoice(completion);
  const message = fieldsOf(choice['message']);
  const texts: TextPart[] = [
    { kind: 'reasoning', text: reasoningOf(message) },
    { kind: 'text', text: textOf(message['content']) },
    { kind: 'refusal', text: textOf(message['refusal']) },
  ];
  const calls = listOf(message['tool_calls']).map((call): CallPart => {
    const { id, function: called } = fieldsOf(call);
    const { name, arguments: given } = fieldsOf(called);
    return { kind: 'call', id: textOf(id) || newCallId(), name: textOf(name), text: textOf(given) };
  });
  const reason = choice['finish_reason'];
  return {
    parts: [...texts.filter(({ text }) => text !== ''), ...calls],
    finishReason: typeof reason === 'string' ? reason : undefined,
    reasoningTokens: reasoningTokensOf(completion) ?? 0,
  };
}

function firstChoice({ choices }: ChatCompletion): Fields {
  const all = choices.map(fieldsOf);
  return all.find(({ index }) => index === undefined || index === 0) ?? {};
}

/** Providers use two names for reasoning. */
const reasoningOf = ({ reasoning_content, reasoning }: Fields) =>
  textOf(reasoning_content) || textOf(reasoning);

function reasoningTokensOf({ usage }: ChatCompletion): number | undefined {
  const count = fieldsOf(fieldsOf(usage)['completion_tokens_details'])['reasoning_tokens'];
  return Number.isSafeInteger(count) ? (count as number) : undefined;
}

/** Returns a text, or joins the texts of a list of parts. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((part) => fieldsOf(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('');
}

const indexOf = ({ index }: Fields) => (Number.isSafeInteger(index) ? (index as number) : undefined);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const newCallId = () => `call_${withoutDashes(uuidv7())}`;

const interleaved = ({ name }: CallPart) =>
  new ApiError(
    'bad_gateway_error',
    `The model continued its call of "${name}" after it had begun something else. Try again.`,
  );
