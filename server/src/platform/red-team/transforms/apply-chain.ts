/** Applies transforms one after another. */
import type { PythonRandom } from '../../random/python-random.ts';
import type { ModelMessage } from '../ports.ts';
import { findTransform } from './catalogue.ts';

interface ChainContext {
  readonly random: PythonRandom;
  /** Sends a request to the attacker model, for transforms that need one. */
  askAttacker(messages: readonly ModelMessage[]): Promise<string>;
}

/**
 * The longest text that a chain may produce. Some transforms make a text nine times as long, so ten of them in a chain would exhaust
 * memory.
 */
const MAX_LENGTH = 1_000_000;

export class TransformedTextTooLong extends Error {
  constructor(name: string, length: number) {
    super(
      `Transform ${name} made a text of ${length} characters, and ${MAX_LENGTH} are allowed. Use a shorter chain.`,
    );
  }
}

/** @param names of known transforms, with their default parameters */
export async function applyChain(
  names: readonly string[],
  text: string,
  { random, askAttacker }: ChainContext,
): Promise<string> {
  let result = text;
  for (const name of names) {
    const transform = findTransform(name);
    if (!transform) throw new Error(`transform ${name} is not known to this version of the server`);
    const params = transform.params.parse({});
    result = transform.isModelBased
      ? await askAttacker([{ role: 'user', content: transform.request(result, params) }])
      : transform.apply(result, params, random);
    if (result.length > MAX_LENGTH) throw new TransformedTextTooLong(name, result.length);
  }
  return result;
}
