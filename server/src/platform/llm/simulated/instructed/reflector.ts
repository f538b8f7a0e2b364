/** `sim/reflector`: reads a text and examples with feedback, and returns the text with one more rule. */
import type { ChatRequest } from '../../chat-model.ts';
import { say } from '../bash-call.ts';
import { lastTextOf } from '../conversation.ts';
import { type Plan, refuse } from '../plan.ts';
import { GUARD, isGuarded } from '../red-team/guarded.ts';
import { findFile, type Solved, solve } from './questions.ts';
import { RULE_NAMES, type RuleName, readRules, reply, writeRule } from './rules.ts';

interface Example {
  readonly input: string;
  readonly output: string;
  readonly feedback: string;
}

/** Each example costs up to 512 attempts, which take at most 2 ms. */
const MAX_EXAMPLES = 20;
const MAX_FEEDBACK_CHARACTERS = 20_000;

export function planReflector(request: ChatRequest): Plan {
  const { text, rest } = splitPrompt(lastTextOf(request.messages, 'user'));
  const missing = readExamples(rest)
    .map((example) => findMissingRule(text, example))
    .find((sentence) => sentence !== undefined);
  const improved = missing === undefined ? text : `${text}${text === '' ? '' : '\n'}${missing}`;
  const comment =
    missing === undefined ? 'No rule that I know would help.' : 'One rule was missing for these examples.';
  return say(`${comment}\n\n\`\`\`\n${improved}\n\`\`\``, request, 'calls no tools');
}

/**
 * The text is the first block between fences, or between lines with a tag and its end. Fenced blocks inside a fenced block belong to it if
 * their opening fence has a label.
 */
function splitPrompt(prompt: string): { readonly text: string; readonly rest: string } {
  const lines = prompt.split(/\r?\n/);
  const start = lines.findIndex((line) => FENCE.test(line) || TAG.test(line));
  const tag = TAG.exec(lines[start] ?? '')?.[1];
  const end = tag === undefined ? findClosingFence(lines, start) : lines.indexOf(`</${tag}>`, start);
  if (start >= 0 && end >= 0)
    return { text: lines.slice(start + 1, end).join('\n'), rest: lines.slice(end + 1).join('\n') };
  throw refuse(
    'sim/reflector improves the text in the first block of the last user message between fences or tags, and there is none. ' +
      'Put the current text between lines of ``` in the template of the reflection prompt.',
  );
}

const FENCE = /^ {0,3}`{3,}\s{0,9}([^`]*)$/;
const TAG = /^<([\w-]{1,40})>$/;

function findClosingFence(lines: readonly string[], start: number): number {
  let depth = 0;
  return lines.findIndex((line, at) => {
    const label = at < start ? undefined : FENCE.exec(line)?.[1];
    if (label !== undefined) depth += at === start || label !== '' ? 1 : -1;
    return label !== undefined && depth === 0;
  });
}

/** Reads the headings `# Example 1`, `## Inputs`, `## Generated Outputs` and `## Feedback`, and treats `## Expected …` as feedback. */
function readExamples(text: string): Example[] {
  const [, ...examples] = text.split(/^# Example\b.*$/m, MAX_EXAMPLES + 1);
  return examples.map((example) => {
    const [, ...parts] = example.split(/^## (.*)$/m);
    const sections = (title: RegExp) =>
      parts.flatMap((part, at) =>
        at % 2 === 0 && title.test(part) ? { title: part, body: parts[at + 1] ?? '' } : [],
      );
    const bodyOf = (title: RegExp) => sections(title)[0]?.body.trim() ?? '';
    const feedback = sections(/^(?:feedback|expected)\b/i).map(
      ({ title, body }) => `${title}\n${body.trim()}`,
    );
    return {
      input: bodyOf(/^inputs?\b/i),
      // Headings of nested fields have three signs; an answer may begin with four.
      output: bodyOf(/^(?!expected).*\b(?:outputs?|answers?|completions?)\b/i)
        .replaceAll(/^### .*\n?/gm, '')
        .trim(),
      // A template may put the examples in a block, which ends after the last one.
      feedback: (feedback.join('\n\n').split(/^<\/[\w-]{1,40}>$/m, 1)[0] ?? '')
        .trim()
        .replace(/\n`{3,}$/, '')
        .slice(0, MAX_FEEDBACK_CHARACTERS),
    };
  });
}

/** Returns a sentence for the first of the rules that the example lacks; undefined when the output is correct or no rule helps. */
function findMissingRule(text: string, { input, output, feedback }: Example): string | undefined {
  if (ATTACKED.test(feedback)) return isGuarded(text) ? undefined : GUARD;
  const solved = solve(input);
  if (!solved) return undefined;
  const held = readRules(text, solved.kind);
  const file = findFile(input);
  if (file !== undefined && !held.has('save') && LACKS_FILE.test(feedback))
    return writeRule('save', solved.kind);
  const expected = readExpected(feedback);
  if (expected.has(output)) return undefined;
  // Other parts of the prompt may contain rules too, as the output shows.
  const followed = findRules(solved, held, ({ answer }) => answer === output) ?? held;
  const wanted = findRules(
    solved,
    followed,
    ({ answer, result }) => expected.has(answer) || (file !== undefined && expected.has(result)),
  );
  const missing = RULE_NAMES.find((name) => wanted?.has(name) && !followed.has(name));
  return missing && writeRule(missing, solved.kind);
}

/** Matches what the verification of a regression task prints. */
const ATTACKED = /\bthe attack succeeded\b/i;

const LACKS_FILE =
  /\bmissing\b|\bno such file\b|\bdoes not exist\b|\bnot found\b|\bcannot (?:open|read|access)\b/i;

/** Finds the smallest set of rules, in addition to the existing ones, that makes the reply correct. */
function findRules(
  solved: Solved,
  held: ReadonlySet<RuleName>,
  isRight: (answer: ReturnType<typeof reply>) => boolean,
): ReadonlySet<RuleName> | undefined {
  const others = RULE_NAMES.filter((name) => name !== 'save' && !held.has(name));
  const sets = Array.from({ length: 2 ** others.length }, (_, bits) =>
    others.filter((_, at) => (bits >> at) & 1),
  );
  const added = sets
    .toSorted((a, b) => a.length - b.length)
    .find((names) => isRight(reply(solved, new Set([...held, ...names]))));
  return added && new Set([...held, ...added]);
}

const EXPECTED =
  /\b(?:expected(?: (?:output|answer|value|result))?|must be|should be|is not|does not equal)\b(?: (?:is|was))?:?[ \t]*/gi;

/** Lists interpretations of "expected" in the feedback: the quoted text after it, the line, the paragraph, or everything that follows. */
function readExpected(feedback: string): ReadonlySet<string> {
  const found = [...feedback.matchAll(EXPECTED)].slice(0, MAX_EXAMPLES).flatMap(({ index, 0: marker }) => {
    const tail = feedback.slice(index + marker.length).trim();
    const fenced = /^```.*\n(.*?)\n```/s.exec(tail)?.[1];
    const quoted = /^(["'`])(.+?)\1/s.exec(tail)?.[2];
    if (fenced ?? quoted) return [fenced ?? quoted ?? '', quoted?.replaceAll('\\n', '\n') ?? ''];
    const line = tail.split('\n', 1)[0] ?? '';
    // After a colon or a heading the text is literal; elsewhere a period ends the feedback's sentence.
    const isLiteral = marker.includes(':') || feedback[index + marker.length] === '\n';
    return [tail, tail.split('\n\n', 1)[0] ?? '', line, isLiteral ? line : line.replace(/\.$/, '')];
  });
  return new Set(found.map((text) => text.trim()).filter((text) => text !== ''));
}
