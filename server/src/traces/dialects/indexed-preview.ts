/** Builds previews from messages that are spread over attributes such as `gen_ai.prompt.3.content`. */
import type { KeyValue } from '../otlp/model.ts';
import { INDEXED_INPUT, INDEXED_OUTPUT } from './conventions.ts';
import { type Direction, textOfContent, toPreview } from './preview.ts';

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
  let said = '';
  let called = '';
  for (const { key, value } of attributes) {
    if (typeof value !== 'string' || !key.startsWith(prefix)) continue;
    if (key.includes('tool_call', prefix.length)) {
      if (called === '' && key.endsWith('name')) called = value;
    } else if (said.length < ENOUGH && (key.endsWith('content') || key.endsWith('text'))) {
      const text = textOfContent(value) ?? '';
      said = said === '' ? text : `${said}\n${text}`;
    }
  }
  return toPreview(said === '' ? called : said);
}
