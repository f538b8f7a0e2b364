/** Options of small runs, with predetermined scores and answers. */
import type { EvaluationRequest, OptimizeOptions } from '../../src/platform/optimizer/ports.ts';
import { type TaskConfig, taskOptions } from './synthetic-task.ts';

const CONFIG: TaskConfig = {
  seed: 7,
  frontier_type: 'instance',
  candidate_selection_strategy: 'pareto',
  module_selector: 'round_robin',
  use_merge: true,
  cache_evaluation: true,
  reflection_minibatch_size: 3,
  components: 3,
  train: 10,
  val: 6,
  max_metric_calls: 300,
  objectives: false,
};
export const TEMPLATE = 'Improve <curr_param> with <side_info>';

export const options = (
  changes: Partial<TaskConfig> = {},
  more: Partial<OptimizeOptions> = {},
): OptimizeOptions => ({
  ...taskOptions({ ...CONFIG, ...changes }, TEMPLATE),
  ...more,
});

/** Predetermined scores, equal for all examples of an evaluation. */
export const scored = (score: (request: EvaluationRequest) => number): Pick<OptimizeOptions, 'evaluate'> => ({
  evaluate: (request) => {
    const scores = Array.from(request.ids, () => 0).fill(score(request));
    return Promise.resolve({ scores, records: request.ids.map((id) => ({ Inputs: id })) });
  },
});
/** Every child is better than its parent, and every candidate than those before it. */
export const improving = () => {
  let validated = 0;
  return scored(({ purpose }) => {
    if (purpose === 'validation') return validated++ / 1000;
    return purpose === 'parent' ? 0 : 0.5;
  });
};
export const idle = scored(() => 0.5);
export const numbered = () => {
  let answers = 0;
  return { reflect: () => Promise.resolve(`text ${answers++}`) };
};
