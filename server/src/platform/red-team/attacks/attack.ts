/** The declaration of an attack: its source, its parameters, the calls of a trial, and the generator of trials. */
import { z } from 'zod';
import type { AttackContext, Probe, TargetKind, Trial } from '../ports.ts';

export interface Attack<Params extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** The publication that describes the technique; a disclosure or an article where there is no paper. */
  readonly paper: { readonly title: string; readonly url: string } | null;
  readonly turns: 'single' | 'multi' | 'indirect' | 'system';
  readonly targets: readonly TargetKind[];
  readonly params: Params;
  /** The score from which a trial is a jailbreak, if it differs from `DEFAULT_THRESHOLD`. */
  readonly threshold?: number;
  /** Calls for one trial, for estimates: one retry of the attacker is included, retries of the judge are not. */
  readonly callsPerTrial: { readonly attacker: number; readonly target: number; readonly judge: number };
  readonly usesAttacker: boolean;
  /** Whether the run ends at the first jailbreak. */
  readonly stopsEarly: boolean;
  /** The number of trials if the manifest gives none and 10 would be wrong. */
  defaultTrials?(chains: readonly (readonly string[])[]): number;
  /** Yields trials until the caller has enough of them; it may end earlier. */
  run(context: AttackContext<z.output<Params>>): AsyncIterable<Trial>;
}

export const ANY_TARGET: readonly TargetKind[] = ['model', 'http', 'agent'];
export const NO_PARAMS = z.strictObject({});

/** An attack whose trials do not depend on each other and need no attacker model. */
export function defineProbes<Params extends z.ZodObject>(
  attack: Pick<Attack<Params>, 'name' | 'summary' | 'paper' | 'turns' | 'targets' | 'params'> & {
    probes(context: AttackContext<z.output<Params>>): Iterable<Probe>;
  },
): Attack<Params> {
  const { probes, ...declared } = attack;
  return {
    ...declared,
    callsPerTrial: { attacker: 0, target: 1, judge: 1 },
    usesAttacker: false,
    stopsEarly: true,
    async *run(context) {
      for (const probe of probes(context)) yield await context.probe(probe);
    },
  };
}
