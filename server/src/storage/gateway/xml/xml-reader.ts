/**
 * Parses the XML of requests: a strict parser for elements, text, character references and the five XML entities. Document types are not
 * supported, so nothing is expanded; comments, CDATA and processing instructions are refused, since clients do not send them.
 */
import { S3Error } from '../s3-error.ts';

const MAX_DEPTH = 8;
/** The longest key, with each byte as a character reference. */
const MAX_TEXT_LENGTH = 12 * 1024;
const DECLARATION = /<\?xml\s[^<>?]*\?>/y;
const START_TAG = /<([A-Za-z][\w.-]*)((?:\s+[A-Za-z][\w:.-]*\s*=\s*(?:"[^<"]*"|'[^<']*'))*)\s*(\/?)>/y;
const END_TAG = /<\/([A-Za-z][\w.-]*)\s*>/y;
const SPACE = /[ \t\r\n]*/y;
const TEXT = /[^<]*/y;
const FOREIGN_ATTRIBUTE = /\s(?!xmlns(?:[:=\s]))[A-Za-z][\w:.-]*\s*=/;
const REFERENCE = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));|&/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export class XmlReader {
  private readonly text: string;
  private at = 0;
  private readonly open: string[] = [];
  /** Whether the element that was just opened has the form `<Name/>`. */
  private isEmpty = false;

  /** @param root required name of the root element, which is open afterwards */
  constructor(body: Uint8Array, root: string) {
    this.text = decodeUtf8(body);
    this.take(SPACE);
    this.take(DECLARATION);
    if (this.openNext() !== root) throw malformed();
  }

  /**
   * Opens the next child element.
   * @returns its name; undefined after the last child, when the parent has been closed
   */
  openNext(): string | undefined {
    if (this.isEmpty) {
      this.isEmpty = false;
      this.open.pop();
      return undefined;
    }
    this.take(SPACE);
    const start = this.take(START_TAG);
    if (start) {
      const [, name = '', attributes = '', slash] = start;
      if (FOREIGN_ATTRIBUTE.test(attributes) || this.open.length === MAX_DEPTH) throw malformed();
      this.open.push(name);
      this.isEmpty = slash === '/';
      return name;
    }
    this.close();
    return undefined;
  }

  /** Returns the text of the open element, which has no children, and closes it. */
  readText(): string {
    if (this.isEmpty) {
      this.isEmpty = false;
      this.open.pop();
      return '';
    }
    const text = this.take(TEXT)?.[0] ?? '';
    if (text.length > MAX_TEXT_LENGTH) throw malformed();
    this.close();
    return decodeText(text);
  }

  /** Checks that only whitespace follows. */
  end(): void {
    this.take(SPACE);
    if (this.open.length > 0 || this.at !== this.text.length) throw malformed();
  }

  private close(): void {
    const end = this.take(END_TAG);
    if (!end || this.open.pop() !== end[1]) throw malformed();
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found;
  }
}

export const malformed = (message = 'The body is not the XML that is asked for.') =>
  new S3Error('MalformedXML', message);

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch {
    throw malformed();
  }
}

function decodeText(text: string): string {
  // Normalizes line ends as every XML parser does; a literal one is sent as a character reference.
  const lines = text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;
  if (!lines.includes('&')) return lines;
  return lines.replaceAll(REFERENCE, (_all, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? '';
    if (decimal !== undefined) return toCharacter(Number.parseInt(decimal, 10));
    if (hex !== undefined) return toCharacter(Number.parseInt(hex, 16));
    throw malformed();
  });
}

function toCharacter(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw malformed();
  return String.fromCodePoint(code);
}
