/** Best-of-N: the same request under random augmentations, until the target complies with one of them. */
import { z } from 'zod';
import type { PythonRandom } from '../../../random/python-random.ts';
import { ANY_TARGET, defineProbes } from '../attack.ts';

/** The paper scrambles words of more than three characters, and noises characters from the space to the tilde. */
const MIN_SCRAMBLED_LENGTH = 4;
const PRINTABLE = { first: 32, last: 126 };

export const bestOfN = defineProbes({
  name: 'best_of_n',
  summary:
    'Scrambles letters inside words, changes the case of letters and noises characters at random, again for each trial.',
  paper: { title: 'Best-of-N Jailbreaking', url: 'https://arxiv.org/abs/2412.03556' },
  turns: 'single',
  targets: ANY_TARGET,
  params: z.strictObject({
    sigma: z
      .number()
      .min(0)
      .max(1)
      .default(0.4)
      .describe(
        'Strength of the augmentations: words and case change with probability √σ, characters with σ³.',
      ),
  }),
  *probes({ goal, params, random }) {
    while (true) yield { candidate: augment(goal, params.sigma, random) };
  },
});

export function augment(text: string, sigma: number, random: PythonRandom): string {
  const scrambled = text
    .split(/(\s+)/)
    .map((word) => scramble(word, Math.sqrt(sigma), random))
    .join('');
  return Array.from(scrambled)
    .map((character) => changeCase(character, Math.sqrt(sigma), random))
    .map((character) => noise(character, sigma ** 3, random))
    .join('');
}

/** Keeps the first and the last character. */
function scramble(word: string, probability: number, random: PythonRandom): string {
  const characters = Array.from(word);
  if (characters.length < MIN_SCRAMBLED_LENGTH || random.random() >= probability) return word;
  const middle = characters.slice(1, -1);
  random.shuffle(middle);
  return [characters[0], ...middle, characters.at(-1)].join('');
}

function changeCase(character: string, probability: number, random: PythonRandom): string {
  if (!/^[a-z]$/i.test(character) || random.random() >= probability) return character;
  const upper = character.toUpperCase();
  return character === upper ? character.toLowerCase() : upper;
}

/** Moves a printable ASCII character up or down by one. */
function noise(character: string, probability: number, random: PythonRandom): string {
  const code = character.codePointAt(0) as number;
  if (code < PRINTABLE.first || code > PRINTABLE.last || random.random() >= probability) return character;
  const moved = code + random.choice([-1, 1]);
  return moved < PRINTABLE.first || moved > PRINTABLE.last ? character : String.fromCodePoint(moved);
}
