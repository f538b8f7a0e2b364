/** The values of the form for a new optimization job, and the API request that is made of them. */
import type { OptimizationJobCreateRequest } from '@drydock/sdk';
import { createFormContext } from '@mantine/form';
import { type PlacedErrors, toFieldPaths } from '../../components/create-form.tsx';
import type { TargetKind } from '../states.ts';

export const RECIPES = [
  'exact_match_v1',
  'contains_v1',
  'gsm8k_v1',
  'row_reward_v1',
  'trajectory_imitation_v1',
] as const;
type Recipe = (typeof RECIPES)[number];

export const COMPONENTS = [
  'agent_prompt',
  'capability_prompt',
  'skill_descriptions',
  'skill_bodies',
] as const;

export const STRATEGIES = ['pareto', 'current_best', 'epsilon_greedy', 'top_k_pareto'] as const;

/** A number field that is empty has an empty string as its value. */
type NumberField = number | string;

interface DatasetValues {
  name: string;
  version: string;
  split: string;
}

/** Fields have the names of the request, so that validation errors of the API appear beside them. */
export interface NewJobValues {
  name: string;
  target_kind: TargetKind;
  model: string;
  capability_ref: { name: string; version: string };
  agent_name: string;
  components: string[];
  source: 'dataset' | 'tasks';
  dataset_ref: DatasetValues;
  val_dataset_ref: DatasetValues;
  task_refs: string[];
  val_task_refs: string[];
  recipe: Recipe;
  params: {
    needle: string;
    expected_output: string;
    reward_if_true: NumberField;
    reward_if_false: NumberField;
    default: NumberField;
  };
  objective: string;
  holdout_fraction: NumberField;
  config: {
    reflection_lm: string;
    max_metric_calls: NumberField;
    reflection_minibatch_size: NumberField;
    seed: NumberField;
    max_trials: NumberField;
    max_runtime_sec: NumberField;
    concurrency: NumberField;
    max_merge_invocations: NumberField;
    candidate_selection_strategy: string;
  };
  project: string;
  tags: string[];
}

/** The form context, which the parts of the page share. */
export const [NewJobFormProvider, useNewJob, useNewJobForm] = createFormContext<NewJobValues>();

const NO_DATASET: DatasetValues = { name: '', version: '', split: '' };

export const INITIAL_VALUES: NewJobValues = {
  name: '',
  target_kind: 'capability_agent',
  model: 'sim/instructed',
  capability_ref: { name: '', version: '' },
  agent_name: '',
  components: [],
  source: 'dataset',
  dataset_ref: NO_DATASET,
  val_dataset_ref: NO_DATASET,
  task_refs: [],
  val_task_refs: [],
  recipe: 'exact_match_v1',
  params: { needle: '', expected_output: '', reward_if_true: '', reward_if_false: '', default: '' },
  objective: '',
  holdout_fraction: '',
  config: {
    reflection_lm: 'sim/reflector',
    max_metric_calls: 100,
    reflection_minibatch_size: 3,
    seed: 0,
    max_trials: '',
    max_runtime_sec: '',
    concurrency: 1,
    max_merge_invocations: 0,
    candidate_selection_strategy: 'pareto',
  },
  project: '',
  tags: [],
};

/** The parameters that each recipe reads. */
export const PARAMS: Readonly<Record<Recipe, readonly (keyof NewJobValues['params'])[]>> = {
  exact_match_v1: ['expected_output', 'reward_if_true', 'reward_if_false'],
  contains_v1: ['needle', 'reward_if_true', 'reward_if_false'],
  gsm8k_v1: ['expected_output', 'reward_if_true', 'reward_if_false'],
  row_reward_v1: ['default'],
  trajectory_imitation_v1: ['expected_output', 'reward_if_true', 'reward_if_false'],
};

/** Removes empty fields. */
const omitEmpty = <Value extends object>(value: Value): Partial<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '')) as Partial<Value>;

/** Only an agent in a sandbox can be given tasks. */
export const usesTasks = ({ target_kind, source }: NewJobValues): boolean =>
  target_kind === 'capability_env' && source === 'tasks';

export function toRequest(values: NewJobValues): OptimizationJobCreateRequest {
  const { dataset_ref, val_dataset_ref, task_refs, val_task_refs, recipe, components, tags } = values;
  const toDataset = (dataset: DatasetValues) => ({ ...dataset, split: dataset.split || undefined });
  const params = Object.fromEntries(
    PARAMS[recipe].map((name) => [name, values.params[name]]).filter(([, value]) => value !== ''),
  );
  return {
    target_kind: values.target_kind,
    model: values.model,
    capability_ref: values.capability_ref,
    ...(usesTasks(values)
      ? { task_refs, ...(val_task_refs.length > 0 && { val_task_refs }) }
      : {
          dataset_ref: toDataset(dataset_ref),
          ...(val_dataset_ref.name !== '' && { val_dataset_ref: toDataset(val_dataset_ref) }),
        }),
    ...(values.target_kind === 'capability_env' &&
      components.length > 0 && { components: toComponents(components) }),
    reward_recipe: { name: recipe, params },
    // The fields of numbers hold nothing but numbers and empty texts.
    config: omitEmpty(values.config) as OptimizationJobCreateRequest['config'],
    ...omitEmpty({
      name: values.name,
      agent_name: values.agent_name,
      objective: values.objective,
      project: values.project,
    }),
    ...(values.holdout_fraction !== '' && { holdout_fraction: Number(values.holdout_fraction) }),
    ...(tags.length > 0 && { tags }),
  };
}

const toComponents = (chosen: readonly string[]) => COMPONENTS.filter((name) => chosen.includes(name));

/** The field that shows errors of a whole object or of the parts of a list. */
const PLACES: readonly (readonly [path: RegExp, field: string])[] = [
  [/^capability_ref$/, 'capability_ref.name'],
  [/^dataset_ref$/, 'dataset_ref.name'],
  [/^val_dataset_ref$/, 'val_dataset_ref.name'],
  [/^reward_recipe\.params\.(\w+)$/, 'params.$1'],
  [/^reward_recipe(\..*)?$/, 'recipe'],
  [/^task_refs?\b.*$/, 'task_refs'],
  [/^val_task_refs\b.*$/, 'val_task_refs'],
  [/^components\b.*$/, 'components'],
  [/^tags\b.*$/, 'tags'],
];

/** Shows errors of the API at the fields of the form. */
export function placeErrors(errors: Readonly<Record<string, string>>): PlacedErrors {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, message] of Object.entries(errors)) {
    const place = PLACES.find(([pattern]) => pattern.test(path));
    const field = place ? path.replace(...place) : path;
    if (FIELDS.has(field)) fields[field] = [fields[field], message].filter(Boolean).join(' ');
    else others.push(path === '' ? message : `${path}: ${message}`);
  }
  return { fields, others };
}

const FIELDS = toFieldPaths(INITIAL_VALUES);
