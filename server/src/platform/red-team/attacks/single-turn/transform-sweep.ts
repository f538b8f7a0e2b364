/** Runs each chosen chain of transforms once, so that their rates can be compared. */
import { ANY_TARGET, type Attack, defineProbes, NO_PARAMS } from '../attack.ts';

export const transformSweep: Attack<typeof NO_PARAMS> = {
  ...defineProbes({
    name: 'transform_sweep',
    summary: 'Sends the goal once through each chosen chain of transforms, without an early stop.',
    paper: {
      title: 'GPT-4 Is Too Smart To Be Safe: Stealthy Chat with LLMs via Cipher',
      url: 'https://arxiv.org/abs/2308.06463',
    },
    turns: 'single',
    targets: ANY_TARGET,
    params: NO_PARAMS,
    *probes({ goal, chains }) {
      for (const transforms of chains.length > 0 ? chains : [[]]) yield { candidate: goal, transforms };
    },
  }),
  stopsEarly: false,
  defaultTrials: (chains) => Math.max(1, chains.length),
};
