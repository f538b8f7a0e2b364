/** The values of the form for a new evaluation, and the API request that is made of them. */
import type { EvaluationCreateRequest } from '@drydock/sdk';
import { createFormContext } from '@mantine/form';
import { type PlacedErrors, toFieldPaths } from '../../components/create-form.tsx';

export const SOURCES = ['tasks', 'task_set', 'dataset'] as const;
export const SCORER_TYPES = ['exact', 'contains', 'numeric'] as const;

/** A number field that is empty has an empty string as its value. */
type NumberField = number | string;

/** Fields have the names of the request, so that validation errors of the API appear beside them. */
export interface NewEvaluationValues {
  name: string;
  model: string;
  source: (typeof SOURCES)[number];
  task_names: string[];
  task_set: string;
  dataset: { name: string; version: string; split: string; input: string; expected: string; system: string };
  scorers: { types: string[]; ignore_case: boolean; tolerance: NumberField };
  agent: string;
  capability: { name: string; version: string };
  repetitions: NumberField;
  concurrency: NumberField;
  limits: {
    max_turns: NumberField;
    task_timeout_seconds: NumberField;
    max_cost_usd: NumberField;
  };
  budget_usd: NumberField;
  max_retries: NumberField;
  seed: NumberField;
  tags: string[];
  project_id: string;
}

/** The form context, which the parts of the page share. */
export const [NewEvaluationFormProvider, useNewEvaluation, useNewEvaluationForm] =
  createFormContext<NewEvaluationValues>();

export const INITIAL_VALUES: NewEvaluationValues = {
  name: '',
  model: 'sim/tool-user',
  source: 'tasks',
  task_names: [],
  task_set: '',
  dataset: { name: '', version: '', split: '', input: '', expected: '', system: '' },
  scorers: { types: ['exact'], ignore_case: false, tolerance: '' },
  agent: '',
  capability: { name: '', version: '' },
  repetitions: 1,
  concurrency: 4,
  limits: { max_turns: 50, task_timeout_seconds: '', max_cost_usd: '' },
  budget_usd: '',
  max_retries: 2,
  seed: '',
  tags: [],
  project_id: '',
};

/** Removes empty fields. */
function omitEmpty<Value extends Record<string, unknown>>(value: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== '' && one !== undefined),
  ) as Partial<Value>;
}

const toNumber = (field: NumberField): number | undefined => (field === '' ? undefined : Number(field));

export function toRequest(values: NewEvaluationValues): EvaluationCreateRequest {
  const { limits, capability, source, dataset } = values;
  return {
    name: values.name,
    model: values.model,
    ...(source === 'tasks' && { task_names: values.task_names }),
    ...(source === 'task_set' && { task_set: values.task_set }),
    ...(source === 'dataset' && {
      dataset: { name: dataset.name, version: dataset.version, input: dataset.input, ...omitEmpty(dataset) },
      scorers: toScorers(values.scorers),
    }),
    ...omitEmpty({
      agent: values.agent,
      repetitions: toNumber(values.repetitions),
      concurrency: toNumber(values.concurrency),
      budget_usd: toNumber(values.budget_usd),
      max_retries: toNumber(values.max_retries),
      seed: toNumber(values.seed),
      project_id: values.project_id,
    }),
    ...(capability.name !== '' && { capability: { name: capability.name, ...omitEmpty(capability) } }),
    limits: omitEmpty({
      max_turns: toNumber(limits.max_turns),
      task_timeout_seconds: toNumber(limits.task_timeout_seconds),
      max_cost_usd: toNumber(limits.max_cost_usd),
    }),
    ...(values.tags.length > 0 && { tags: values.tags }),
  };
}

type Scorers = NonNullable<EvaluationCreateRequest['scorers']>;

function toScorers({ types, ignore_case, tolerance }: NewEvaluationValues['scorers']): Scorers {
  const numeric = { type: 'numeric' as const, ...omitEmpty({ tolerance: toNumber(tolerance) }) };
  return SCORER_TYPES.filter((type) => types.includes(type)).map((type) =>
    type === 'numeric' ? numeric : { type, ignore_case },
  );
}

/** Fields that also show the errors of their parts, such as `task_names.3`. */
const WHOLE_FIELDS = ['task_names', 'tags', 'scorers'] as const;

/** Shows errors of the API at the fields of the form. */
export function placeErrors(errors: Readonly<Record<string, string>>): PlacedErrors {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, message] of Object.entries(errors)) {
    const whole = WHOLE_FIELDS.find((name) => path === name || path.startsWith(`${name}.`));
    const field = whole === 'scorers' ? 'scorers.types' : (whole ?? path);
    if (FIELDS.has(field)) fields[field] = [fields[field], message].filter(Boolean).join(' ');
    else others.push(`${path}: ${message}`);
  }
  return { fields, others };
}

const FIELDS = toFieldPaths(INITIAL_VALUES);
