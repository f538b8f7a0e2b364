/** The template of reflection prompts, which a job can replace. */
import { ReflectionFailed } from './ports.ts';

const CURRENT_TEXT = '<curr_param>';
const EXAMPLES = '<side_info>';

export const DEFAULT_TEMPLATE = `You improve one text that steers an AI agent. This is the text in use:

<current_text>
${CURRENT_TEXT}
</current_text>

The agent was run with it. Each example shows what went in, what came out, and how the result was judged:

<examples>
${EXAMPLES}
</examples>

Find out what the judged results have in common: which requirements of the task the text does not state, which facts,
formats, rules and edge cases of the domain it leaves to chance, and which of its sentences mislead the agent. Keep what
already works. Write down every fact and every procedure that the agent needs for inputs like these and cannot know by
itself; prefer general rules to answers of single examples.

Reply with the complete new text between two lines of three backticks, and nothing else.`;

/** A template without both placeholders cannot show a model what to improve. */
export function hasPlaceholders(template: string): boolean {
  return template.includes(CURRENT_TEXT) && template.includes(EXAMPLES);
}

/** Removes placeholder marks from a text that is put into a template, so that it is not filled itself. */
export const withoutPlaceholders = (text: string) =>
  text.replaceAll(CURRENT_TEXT, 'curr_param').replaceAll(EXAMPLES, 'side_info');

/** No model reads a longer prompt, and a template may repeat its placeholders thousands of times. */
const MAX_PROMPT_CHARACTERS = 2_000_000;

/**
 * Replaces every placeholder literally, the current text first: a placeholder that it contains is filled as well.
 * @throws {ReflectionFailed} for a prompt that would be too long, before it is put together
 */
export function fillTemplate(template: string, currentText: string, examples: string): string {
  const withText = replaceAll(template, CURRENT_TEXT, currentText);
  return replaceAll(withText, EXAMPLES, examples);
}

function replaceAll(text: string, placeholder: string, replacement: string): string {
  const count = text.split(placeholder).length - 1;
  requireLength(text.length + count * (replacement.length - placeholder.length));
  return text.replaceAll(placeholder, () => replacement);
}

export function requireLength(characters: number): void {
  if (characters <= MAX_PROMPT_CHARACTERS) return;
  throw new ReflectionFailed(
    `The reflection prompt would have more than ${MAX_PROMPT_CHARACTERS} characters. Lower max_side_info_chars or max_reflection_examples, or use a shorter template.`,
  );
}
