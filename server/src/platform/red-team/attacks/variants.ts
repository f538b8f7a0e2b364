/** Variants of a prompt: templates whose placeholders are filled by seeded choices. */
import type { PythonRandom } from '../../random/python-random.ts';

export type Pick = <T>(options: readonly T[]) => T;
export type Template = (goal: string, pick: Pick) => string;

/** Templates have at least 200 variants together, so that few draws find one that was not used before. */
const MAX_DRAWS = 100;

/** Cycles endlessly through the templates in a shuffled order. It repeats a text only when it finds no other. */
export function* variants(
  { goal, random }: { readonly goal: string; readonly random: PythonRandom },
  templates: readonly Template[],
): Generator<string> {
  const order = [...templates];
  random.shuffle(order);
  const used = new Set<string>();
  const pick: Pick = (options) => random.choice(options);
  for (let turn = 0; ; turn++) {
    let text = '';
    // A template whose variants are used up leaves its turn to the next.
    for (let draw = 0; draw === 0 || (used.has(text) && draw < MAX_DRAWS); draw++)
      text = (order[(turn + draw) % order.length] as Template)(goal, pick);
    used.add(text);
    yield text;
  }
}
