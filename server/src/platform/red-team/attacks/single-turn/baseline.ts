/** Sends the goal unchanged: the rate with which every other attack and every transform is compared. */
import { ANY_TARGET, defineProbes, NO_PARAMS } from '../attack.ts';

export const baseline = defineProbes({
  name: 'baseline',
  summary: 'Sends the goal as it is, once per trial.',
  paper: null,
  turns: 'single',
  targets: ANY_TARGET,
  params: NO_PARAMS,
  *probes({ goal }) {
    while (true) yield { candidate: goal };
  },
});
