/** Rules for the English of comments, test titles and messages. ARCHITECTURE.md has the glossary of words to use instead. */
import { parseSync, Visitor } from 'oxc-parser';

type Kind = 'comment' | 'title' | 'message';

interface Rule {
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly advice: string;
}

const EVERYWHERE: readonly Kind[] = ['comment', 'title', 'message'];

export const RULES: readonly Rule[] = [
  {
    name: 'dangling start',
    kinds: ['comment'],
    pattern: /^(?:Of|By|As|With|Without|Where|Once|Also|Whoever|Who)\b/,
    advice: 'begin with a subject or a verb',
  },
  {
    name: 'dangling start',
    kinds: ['title'],
    pattern: /^(?:of|by|as|with|without|where|once|also|whoever|who)\b/i,
    advice: 'name the operation or the unit, then what it does',
  },
  {
    name: 'who as a noun',
    kinds: EVERYWHERE,
    pattern: /\bwhoever\b|\b(?:for|of|to|by|from|with|than|against|but) who\b|[.;:] who\b(?![^.]*\?)/i,
    advice: 'name the caller, client, user, reader or worker',
  },
  {
    name: 'is no',
    kinds: EVERYWHERE,
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|other\b|different\b|one\b)\w/i,
    advice: 'say "is not a …"',
  },
  {
    name: 'glue',
    kinds: EVERYWHERE,
    pattern: /\b(?:anew|by then|so long|meanwhile|whether or not|to be had)\b/i,
    advice: 'say "again", "until then", "as long as", "in between", "available", or leave it out',
  },
  {
    name: 'translated word',
    kinds: EVERYWHERE,
    pattern:
      /\bpatien(?:ce|t|tly)\b|\b(?:is|are|was|were|be|been|gets?) told\b|\btold of\b|\binsists?\b|\b(?:is|are|was|were|be|been) answered\b/i,
    advice: 'say timeout, response, notified, returns, retries',
  },
  {
    name: 'tag inside a line',
    kinds: ['comment'],
    pattern: /\S[^\n]* @(?:param|returns|throws)\b/,
    advice: 'begin a line with @param, @returns and @throws',
  },
];

interface Text {
  readonly kind: Kind;
  readonly line: number;
  readonly text: string;
}

interface Mistake extends Text {
  readonly rule: string;
  readonly advice: string;
}

/** Comments, test titles and messages of a file, in their order. */
export function readTexts(file: string, source: string): Text[] {
  const { comments, program } = parseSync(file, source);
  const lineOf = (offset: number) => source.slice(0, offset).split('\n').length;
  const texts: Text[] = [];
  let last: { kind: 'comment'; line: number; text: string; end: number } | undefined;
  for (const { type, value, start, end } of comments) {
    const text = value
      .replace(/^\*/, '')
      .replaceAll(/\n\s*\*? ?/g, '\n')
      .trim();
    const continues =
      type === 'Line' && last !== undefined && /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(last.end, start));
    if (continues && last) {
      last.text += ` ${text}`;
      last.end = end;
      continue;
    }
    last = { kind: 'comment', line: lineOf(start), text, end };
    texts.push(last);
  }
  const add = (kind: Kind, node: { start: number; end: number }) =>
    texts.push({ kind, line: lineOf(node.start), text: source.slice(node.start + 1, node.end - 1) });
  new Visitor({
    CallExpression(node) {
      const name = rootName(node.callee);
      const [first] = node.arguments;
      if (first && isText(first) && TESTS.has(name)) add('title', first);
      else if (MESSAGES.has(name)) for (const argument of node.arguments) addMessages(argument);
    },
    NewExpression(node) {
      if (rootName(node.callee).endsWith('Error'))
        for (const argument of node.arguments) addMessages(argument);
    },
  }).visit(program);
  return texts;

  function addMessages(node: object): void {
    if (isText(node)) add('message', node);
  }
}

const TESTS = new Set(['test', 'it', 'describe']);
const MESSAGES = new Set(['notFound', 'forbidden', 'invalidValue']);

type TextNode = { readonly start: number; readonly end: number };

const isText = (node: object): node is TextNode =>
  'type' in node &&
  (node.type === 'TemplateLiteral' ||
    (node.type === 'Literal' && 'value' in node && typeof node.value === 'string'));

/** `test` of `test.runIf(x).each(table)`. */
function rootName(node: object): string {
  if ('name' in node && typeof node.name === 'string') return node.name;
  for (const key of ['object', 'callee', 'tag'] as const) {
    const inner = (node as Record<string, unknown>)[key];
    if (typeof inner === 'object' && inner !== null) return rootName(inner);
  }
  return '';
}

export function findMistakes(file: string, source: string): Mistake[] {
  return readTexts(file, source).flatMap((found) =>
    RULES.filter(({ kinds, pattern }) => kinds.includes(found.kind) && pattern.test(found.text)).map(
      ({ name, advice }): Mistake => ({
        kind: found.kind,
        line: found.line,
        text: found.text,
        rule: name,
        advice,
      }),
    ),
  );
}
