/** Reads the JSON of a model's answer. */

/** @returns undefined unless the answer is JSON, or holds exactly one fenced block, which is JSON */
export function parseJsonAnswer(text: string): unknown {
  const whole = parse(text);
  if (whole !== undefined) return whole;
  const [, block, ...more] = text.split(/^ {0,3}```[\w-]{0,20}[ \t]*$/m);
  return block === undefined || more.length !== 1 ? undefined : parse(block);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
