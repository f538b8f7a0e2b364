/**
 * Previews the last input and the output of messages in any form, with a bounded amount of work however long they are. Values come from the
 * OTLP model, or from JSON in a text.
 */
import { type AnyValue, type KeyValue, KeyValueList, type SpanEvent } from '../otlp/model.ts';
import { BODY_NAMES, INDEXED_INPUT, INDEXED_OUTPUT } from './conventions.ts';
import { beginningOf } from './scalars.ts';

export type Direction = 'input' | 'output';

const MAX_LENGTH = 256;
/** Maximum length of JSON that is parsed for a preview. */
const MAX_PARSED_LENGTH = 65_536;
/** Matches a text in JSON; 1,536 characters are enough for a preview that consists of escapes only. */
const TEXT_LITERAL = /"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.){1,1536})/g;
const CUT_ESCAPE = /\\u?[0-9a-fA-F]{0,3}$/;
/** Part types without spoken content. */
const NON_TEXT = new Set<unknown>(['blob', 'file', 'uri', 'reasoning', 'thinking']);

export function previewOf(value: unknown, direction: Direction): string | null {
  if (typeof value !== 'string') return toPreview(findText(value, direction));
  if (!mayBeJson(value)) return toPreview(value);
  if (value.length > MAX_PARSED_LENGTH) return toPreview(findLiteral(value, direction) ?? value);
  const parsed = parse(value);
  return toPreview(findText(parsed, direction) ?? (isListOfMessages(parsed) ? null : value));
}

/** Detects a list of messages, even when none of them has content. */
const isListOfMessages = (value: unknown) =>
  Array.isArray(value) && (value.length === 0 || field(value[0], 'role') !== undefined);

function toPreview(text: string | null): string | null {
  if (text === null) return null;
  const beginning = beginningOf(text, MAX_LENGTH);
  return beginning.trim() === '' ? null : beginning;
}

function mayBeJson(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x5b || first === 0x7b || (first <= 32 && /^\s{1,64}[[{]/.test(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findText(value: unknown, direction: Direction): string | null {
  const list = field(value, 'messages') ?? field(value, 'choices') ?? value;
  const messages: readonly unknown[] = Array.isArray(list) ? list : [list];
  return direction === 'input' ? findRequest(messages) : findResponse(messages);
}

function findRequest(messages: readonly unknown[]): string | null {
  let last: string | null = null;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    const isUsers = isByUser(message);
    if (!isUsers && last !== null) continue;
    const text = textOfMessage(message);
    if (text === null) continue;
    if (isUsers) return text;
    last = text;
  }
  return last;
}

function findResponse(messages: readonly unknown[]): string | null {
  for (const message of messages) {
    const text = textOfMessage(message);
    if (text !== null) return text;
  }
  for (const message of messages) {
    const name = nameOfCall(message);
    if (name !== null) return name;
  }
  return null;
}

function isByUser(message: unknown): boolean {
  const role = field(message, 'role') ?? field(message, 'message.role');
  return role === 'user' || role === 'human';
}

function textOfMessage(message: unknown): string | null {
  if (typeof message === 'string') return message;
  const inner = field(message, 'message') ?? message;
  if (typeof inner === 'string') return textOfContent(inner);
  if (NON_TEXT.has(field(inner, 'type'))) return null;
  const content =
    field(inner, 'parts') ??
    field(inner, 'content') ??
    field(inner, 'text') ??
    field(inner, 'message.content');
  return textOfContent(content);
}

/** Returns null when the content holds no text. */
function textOfContent(content: unknown): string | null {
  if (typeof content === 'string') {
    const parts =
      content.startsWith('[{') && content.length <= MAX_PARSED_LENGTH ? parse(content) : undefined;
    return (Array.isArray(parts) ? joinTexts(parts) : null) ?? (content === '' ? null : content);
  }
  return joinTexts(Array.isArray(content) ? content : [content]);
}

function joinTexts(parts: readonly unknown[]): string | null {
  let joined = '';
  for (const part of parts) {
    const text = textOfPart(part);
    if (text === null || text === '') continue;
    joined = joined === '' ? text : `${joined}\n${text}`;
    if (joined.length >= MAX_LENGTH) break;
  }
  return joined === '' ? null : joined;
}

function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  if (NON_TEXT.has(field(part, 'type'))) return null;
  const text =
    field(part, 'text') ?? field(part, 'content') ?? field(part, 'response') ?? field(part, 'result');
  return typeof text === 'string' ? text : null;
}

function nameOfCall(message: unknown): string | null {
  const inner = field(message, 'message') ?? message;
  const calls = field(inner, 'tool_calls') ?? field(inner, 'parts') ?? field(inner, 'content');
  const [call]: readonly unknown[] = Array.isArray(calls) ? calls : [];
  const name =
    field(call, 'name') ?? field(field(call, 'function'), 'name') ?? field(field(call, 'toolUse'), 'name');
  return typeof name === 'string' ? name : null;
}

/** Finds the text of the last user message, or of the first message, without parsing the surrounding JSON. */
function findLiteral(json: string, direction: Direction): string | null {
  const near = direction === 'input' ? json.slice(-MAX_PARSED_LENGTH) : json.slice(0, MAX_PARSED_LENGTH);
  const user = Math.max(near.lastIndexOf('"role":"user"'), near.lastIndexOf('"role": "user"'));
  const from = direction === 'input' && user > 0 ? user : 0;
  const raw = findLiteralFrom(near, from) ?? findLiteralFrom(near, 0);
  if (raw === null) return null;
  const text = parse(`"${raw}"`) ?? parse(`"${raw.replace(CUT_ESCAPE, '')}"`);
  return typeof text === 'string' ? text : raw;
}

function findLiteralFrom(json: string, from: number): string | null {
  TEXT_LITERAL.lastIndex = from;
  return TEXT_LITERAL.exec(json)?.[1] ?? null;
}

/** Returns undefined for a missing field and for null. */
function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (!(value instanceof KeyValueList)) return (value as Record<string, unknown>)[key] ?? undefined;
  for (let index = value.entries.length - 1; index >= 0; index--) {
    const entry = value.entries[index];
    if (entry?.key === key) return entry.value ?? undefined;
  }
  return undefined;
}

const CONTENT_NAMES: readonly string[] = ['content', 'message', ...BODY_NAMES, 'tool_calls'];

interface EventPreviews {
  readonly input: string | null;
  readonly output: string | null;
}

const NONE: EventPreviews = { input: null, output: null };

export function previewEvents(events: readonly SpanEvent[]): EventPreviews {
  if (events.length === 0) return NONE;
  let ofUser: SpanEvent | undefined;
  let other: SpanEvent | undefined;
  let choice: SpanEvent | undefined;
  let assistant: SpanEvent | undefined;
  for (const event of events) {
    if (event.name === 'gen_ai.choice') choice ??= event;
    else if (event.name === 'gen_ai.assistant.message') assistant = event;
    else if (event.name === 'gen_ai.user.message') ofUser = event;
    else if (event.name === 'gen_ai.system.message' || event.name === 'gen_ai.tool.message') other = event;
  }
  return {
    input: preview(ofUser, 'input') ?? preview(other, 'input') ?? previewPart(events, 'prompt'),
    // The last assistant message is the output when no choice exists.
    output: preview(choice ?? assistant, 'output') ?? previewPart(events, 'completion'),
  };
}

function preview(event: SpanEvent | undefined, direction: Direction): string | null {
  if (event === undefined) return null;
  for (const name of CONTENT_NAMES) {
    const value = find(event.attributes, name);
    const text = value === null ? null : previewOf(value, direction);
    if (text !== null) return text;
  }
  return null;
}

/** Previews the events of the earliest conventions, which put all messages of one direction into one event. */
function previewPart(events: readonly SpanEvent[], part: 'prompt' | 'completion'): string | null {
  const event = events.find(({ name }) => name === `gen_ai.content.${part}`);
  if (event === undefined) return null;
  const direction = part === 'prompt' ? 'input' : 'output';
  const value = find(event.attributes, `gen_ai.${part}`);
  return value === null ? preview(event, direction) : previewOf(value, direction);
}

function find(attributes: readonly KeyValue[], name: string): AnyValue {
  return attributes.findLast(({ key }) => key === name)?.value ?? null;
}

const MAX_INDEX = 999_999_999;
const ENOUGH = 256;

/** The message of a prefix to preview: chosen while iterating over the attributes, read once all attributes are known. */
interface Noted {
  readonly prefix: string;
  first: number;
  last: number;
  lastOfUser: number;
}

export class IndexedMessages {
  private readonly noted: (Noted | undefined)[] = [];

  note({ key, value }: KeyValue): void {
    const place = placeOf(key);
    const prefix = PREFIXES[place];
    if (prefix === undefined) return;
    const index = readIndex(key, prefix.length);
    if (index < 0) return;
    const noted = (this.noted[place] ??= { prefix, first: index, last: index, lastOfUser: -1 });
    if (index < noted.first) noted.first = index;
    if (index > noted.last) noted.last = index;
    if (value === 'user' && index > noted.lastOfUser && key.endsWith('role')) noted.lastOfUser = index;
  }

  /** Previews the messages of one prefix in the given direction. */
  preview(prefix: string, direction: Direction, attributes: readonly KeyValue[]): string | null {
    const noted = this.noted[PREFIXES.indexOf(prefix)];
    if (noted === undefined) return null;
    if (direction === 'output') return previewAt(noted, noted.first, attributes);
    const ofUser = noted.lastOfUser < 0 ? null : previewAt(noted, noted.lastOfUser, attributes);
    return ofUser ?? previewAt(noted, noted.last, attributes);
  }
}

const PREFIXES: readonly string[] = [...INDEXED_INPUT, ...INDEXED_OUTPUT];

/** Most attributes match no prefix, and one or two letters are enough to rule them out. */
function placeOf(key: string): number {
  const first = key.charCodeAt(0);
  if (first === 0x67 /* g */) {
    if (key.startsWith('gen_ai.prompt.')) return 0;
    return key.startsWith('gen_ai.completion.') ? 3 : -1;
  }
  if (first !== 0x6c /* l */ || !key.startsWith('llm.')) return -1;
  return PREFIXES.findIndex((prefix) => key.startsWith(prefix));
}

function readIndex(key: string, from: number): number {
  let index = -1;
  for (let at = from; at < key.length; at++) {
    const digit = key.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return key.charCodeAt(at) === 0x2e /* . */ ? index : -1;
    index = Math.max(index, 0) * 10 + digit;
    if (index > MAX_INDEX) return -1;
  }
  return -1;
}

function previewAt(noted: Noted, index: number, attributes: readonly KeyValue[]): string | null {
  const prefix = `${noted.prefix}${index}.`;
  let found = '';
  let called = '';
  for (const { key, value } of attributes) {
    if (typeof value !== 'string' || !key.startsWith(prefix)) continue;
    if (key.includes('tool_call', prefix.length)) {
      if (called === '' && key.endsWith('name')) called = value;
    } else if (found.length < ENOUGH && (key.endsWith('content') || key.endsWith('text'))) {
      const text = textOfContent(value) ?? '';
      found = found === '' ? text : `${found}\n${text}`;
    }
  }
  return toPreview(found === '' ? called : found);
}
