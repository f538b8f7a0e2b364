/** The score that a verification script leaves in its reward file. */

export interface Reward {
  readonly score: number;
  readonly metrics: Readonly<Record<string, unknown>> | null;
}

export const MAX_REWARD_BYTES = 65_536;
/** The same bound as for bodies of requests. Metrics that are nested by the thousand cannot be stored. */
const MAX_DEPTH = 64;

/**
 * @param text a number from 0 to 1, or JSON `{score, metrics}`.
 * @returns the reward, or a sentence that says what is wrong with it
 */
export function parseReward(text: string): Reward | string {
  const trimmed = text.trim();
  if (trimmed === '') return 'The reward file is empty.';
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return 'The reward file holds neither a number nor JSON.';
  }
  if (typeof value === 'number') return toReward(value, null);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'The reward file must hold a number or an object with "score".';
  const { score, metrics = null } = value as { readonly score?: unknown; readonly metrics?: unknown };
  if (typeof score !== 'number') return 'The reward file holds an object without a number "score".';
  if (metrics !== null && (typeof metrics !== 'object' || Array.isArray(metrics)))
    return 'The "metrics" of the reward file must be an object.';
  if (isTooDeep(metrics))
    return `The "metrics" of the reward file are nested deeper than ${MAX_DEPTH} levels.`;
  return toReward(score, metrics as Reward['metrics']);
}

/** The value is walked level by level, since a recursion would overflow the stack. */
function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  return level.length > 0;
}

const toReward = (score: number, metrics: Reward['metrics']): Reward | string =>
  score >= 0 && score <= 1
    ? { score, metrics }
    : `The reward file holds the score ${score}; it must lie from 0 to 1.`;
