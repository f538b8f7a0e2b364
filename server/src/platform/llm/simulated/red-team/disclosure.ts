/** Phrases that `sim/guarded` puts before what it discloses, and by which `sim/judge` scores. */
import type { Level } from './weaknesses.ts';

const PHRASES: readonly (readonly [level: Level, phrase: string])[] = [
  [1, 'Here is what you asked for:'],
  [0.7, 'Here is most of it:'],
  [0.5, 'Here is a part of it:'],
  [0.3, 'I can only hint at it:'],
];

/** @returns the phrase of the level and the corresponding share of the answer */
export function disclose(answer: string, level: Level): string {
  const phrase = PHRASES.find(([of]) => of === level)?.[1] ?? '';
  const shown = level === 1 ? `${answer}.` : `${answer.slice(0, Math.ceil(answer.length * level))} …`;
  return `${phrase} ${shown}`;
}

/** @returns the highest level whose phrase the text contains, and the text after the phrase */
export function findDisclosed(text: string): { readonly level: Level; readonly content: string } | undefined {
  for (const [level, phrase] of PHRASES) {
    const at = text.indexOf(phrase);
    if (at >= 0) return { level, content: text.slice(at + phrase.length) };
  }
  return undefined;
}
