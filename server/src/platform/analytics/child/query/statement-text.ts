/** Strips comments, blanks and semicolons around a statement. */

const isBlank = (char: string) => /\s/.test(char);
const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);

/** Returns the statement in a form that can be put into parentheses. */
export function bareStatement(query: string): string {
  let start: number | undefined;
  let end = 0;
  let at = 0;
  while (at < query.length) {
    const next = endOfToken(query, at);
    const char = query.charAt(at);
    if (!isBlank(char) && char !== ';' && !startsComment(query, at)) {
      start ??= at;
      end = next;
    }
    at = next;
  }
  return query.slice(start ?? 0, end);
}

const startsComment = (query: string, at: number) => query.startsWith('--', at) || query.startsWith('/*', at);

function endOfToken(query: string, at: number): number {
  if (query.startsWith('--', at)) return endOfLine(query, at);
  if (query.startsWith('/*', at)) return endOfComment(query, at);
  const char = query.charAt(at);
  if (char === '"') return endOfQuoted(query, at + 1, '"', false);
  if (char === "'") return endOfQuoted(query, at + 1, "'", isEscaped(query, at));
  const tag = char === '$' && !isWord(query[at - 1]) ? dollarPattern(query, at) : undefined;
  if (tag === undefined) return at + 1;
  const close = query.indexOf(tag, at + tag.length);
  return close < 0 ? query.length : close + tag.length;
}

function endOfLine(query: string, at: number): number {
  const rest = /[\n\r]/g;
  rest.lastIndex = at;
  return rest.exec(query)?.index ?? query.length;
}

/** Comments may nest. */
function endOfComment(query: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  for (let depth = 0; ; ) {
    const mark = marks.exec(query);
    if (!mark) return query.length;
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
}

function endOfQuoted(query: string, start: number, quote: string, hasEscapes: boolean): number {
  for (let at = start; at < query.length; at++) {
    if (hasEscapes && query[at] === '\\') at++;
    else if (query[at] === quote) {
      if (query[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return query.length;
}

/** `E'…'` */
const isEscaped = (query: string, quote: number) =>
  /[eE]/.test(query.charAt(quote - 1)) && !isWord(query[quote - 2]);

function dollarPattern(query: string, at: number): string | undefined {
  const pattern = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
  pattern.lastIndex = at;
  return pattern.exec(query)?.[0];
}
