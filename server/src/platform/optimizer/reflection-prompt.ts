/** Renders the prompt of a reflection, and extracts the new text from the answer. */
import type { ReflectionRecord } from './ports.ts';
import { fillTemplate, requireLength } from './reflection-prompt-template.ts';

const FENCE = '```';
const DEEPEST_HEADING = 6;

export interface PromptSettings {
  readonly reflection_prompt_template: string;
  readonly max_reflection_examples: number | undefined;
  readonly max_side_info_chars: number | undefined;
}

export function renderPrompt(
  text: string,
  records: readonly ReflectionRecord[],
  { reflection_prompt_template, max_reflection_examples, max_side_info_chars }: PromptSettings,
): string {
  const examples: string[] = [];
  let characters = 0;
  for (const [index, record] of records.slice(0, max_reflection_examples).entries()) {
    const example = cutMiddle(renderRecord(record, index + 1), max_side_info_chars);
    characters += example.length;
    requireLength(characters);
    examples.push(example);
  }
  return fillTemplate(reflection_prompt_template, text, examples.join('\n\n'));
}

function renderRecord(record: ReflectionRecord, number: number): string {
  return `# Example ${number}\n${renderEntries(Object.entries(record), 2)}`;
}

function renderEntries(entries: readonly (readonly [string, unknown])[], level: number): string {
  const heading = '#'.repeat(level);
  const below = Math.min(level + 1, DEEPEST_HEADING);
  return entries.map(([key, value]) => `${heading} ${key}\n${renderValue(value, below)}`).join('');
}

function renderValue(value: unknown, level: number): string {
  if (typeof value !== 'object' || value === null) return `${String(value).trim()}\n\n`;
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [`Item ${index + 1}`, item])
    : Object.entries(value);
  return entries.length === 0 ? '\n' : renderEntries(entries, level);
}

/** Keeps the beginning and the end, which usually say most. The mark counts towards the limit. */
export function cutMiddle(text: string, limit: number | undefined): string {
  if (limit === undefined || text.length <= limit) return text;
  const mark = `\n[… ${text.length - limit} or more characters cut …]\n`;
  const kept = Math.max(0, limit - mark.length);
  const head = text.slice(0, Math.ceil(kept / 2));
  const tail = text.slice(text.length - Math.floor(kept / 2));
  return `${withoutHalves(head)}${mark}${withoutHalves(tail)}`;
}

/** A cut may fall between the two halves of a surrogate pair. */
const withoutHalves = (text: string) => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');

/** Returns the text between the first and the last fence, without its language tag; an answer without fences is returned whole. */
export function extractText(answer: string): string {
  const trimmed = answer.trim();
  const first = trimmed.indexOf(FENCE);
  const last = trimmed.lastIndexOf(FENCE);
  if (first >= 0 && first + FENCE.length < last)
    return trimmed
      .slice(first + FENCE.length, last)
      .replace(/^\S*\n/, '')
      .trim();
  if (trimmed.startsWith(FENCE)) return trimmed.replace(/^```\S*\n?/, '').trim();
  if (trimmed.endsWith(FENCE)) return trimmed.slice(0, -FENCE.length).trim();
  return trimmed;
}
