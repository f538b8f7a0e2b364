/** The values of the form for a new training job, and the API request that is made of them. */
import type { TrainingJobCreateRequest } from '@drydock/sdk';
import { createFormContext } from '@mantine/form';
import type { PlacedErrors } from '../../components/create-form.tsx';

/** A number field that is empty has an empty string as its value. */
type NumberField = number | string;

export interface DatasetValues {
  name: string;
  version: string;
  split: string;
}

/** Fields have the names of the request, so that validation errors of the API appear beside them. */
export interface NewTrainingValues {
  name: string;
  model: string;
  capability_ref: { name: string; version: string };
  config: {
    dataset_ref: DatasetValues;
    trajectory_dataset_refs: DatasetValues[];
    eval_dataset_ref: DatasetValues;
    epochs: NumberField;
    steps: NumberField;
    batch_size: NumberField;
    gradient_accumulation_steps: NumberField;
    /** A text, because number fields do not accept 2e-4. */
    learning_rate: string;
    max_sequence_length: NumberField;
    lora_rank: NumberField;
    lora_alpha: NumberField;
    checkpoint_interval: NumberField;
    seed: NumberField;
    packing: boolean;
  };
  project_ref: string;
  tags: string[];
}

/** The form context, which the parts of the page share. */
export const [NewTrainingFormProvider, useNewTraining, useNewTrainingForm] =
  createFormContext<NewTrainingValues>();

export const NO_DATASET: DatasetValues = { name: '', version: '', split: '' };

export const INITIAL_VALUES: NewTrainingValues = {
  name: '',
  model: '',
  capability_ref: { name: '', version: '' },
  config: {
    dataset_ref: NO_DATASET,
    trajectory_dataset_refs: [],
    eval_dataset_ref: NO_DATASET,
    epochs: '',
    steps: '',
    batch_size: '',
    gradient_accumulation_steps: '',
    learning_rate: '',
    max_sequence_length: '',
    lora_rank: '',
    lora_alpha: '',
    checkpoint_interval: '',
    seed: '',
    packing: false,
  },
  project_ref: '',
  tags: [],
};

/** Removes empty fields. */
const omitEmpty = <Value extends object>(value: Value): Partial<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== '')) as Partial<Value>;

const isGiven = ({ name }: DatasetValues): boolean => name !== '';

const toDataset = ({ name, version, split }: DatasetValues) => ({ name, version, ...(split && { split }) });

export function toRequest(values: NewTrainingValues): TrainingJobCreateRequest {
  const { dataset_ref, trajectory_dataset_refs, eval_dataset_ref, learning_rate, packing, ...numbers } =
    values.config;
  const trajectories = trajectory_dataset_refs.filter(isGiven);
  const rate = Number(learning_rate);
  return {
    ...omitEmpty({ name: values.name.trim(), project_ref: values.project_ref }),
    model: values.model,
    capability_ref: values.capability_ref,
    config: {
      ...(isGiven(dataset_ref) && { dataset_ref: toDataset(dataset_ref) }),
      ...(trajectories.length > 0 && { trajectory_dataset_refs: trajectories.map(toDataset) }),
      ...(isGiven(eval_dataset_ref) && { eval_dataset_ref: toDataset(eval_dataset_ref) }),
      // The fields of numbers hold nothing but numbers and empty texts.
      ...(omitEmpty(numbers) as Partial<Record<keyof typeof numbers, number>>),
      // A text that is not a number is sent as it is, for the API to reject it.
      ...(learning_rate.trim() !== '' && {
        learning_rate: Number.isNaN(rate) ? (learning_rate as unknown as number) : rate,
      }),
      ...(packing && { packing }),
    },
    ...(values.tags.length > 0 && { tags: values.tags }),
  };
}

const DATASET_FIELD =
  /^config\.(dataset_ref|eval_dataset_ref|trajectory_dataset_refs\.\d+)\.(name|version|split)$/;
const FIELDS = new Set([
  'name',
  'model',
  'project_ref',
  'tags',
  'capability_ref.name',
  'capability_ref.version',
  ...Object.keys(INITIAL_VALUES.config).map((name) => `config.${name}`),
]);

/** The field that shows errors of a whole object or of the parts of a list. */
const PLACES: readonly (readonly [path: RegExp, field: string])[] = [
  [/^capability_ref$/, 'capability_ref.name'],
  [/^config\.(dataset_ref|eval_dataset_ref|trajectory_dataset_refs\.\d+)$/, 'config.$1.name'],
  [/^config\.trajectory_dataset_refs$/, 'config.dataset_ref.name'],
  [/^tags\b.*$/, 'tags'],
];

/** Shows errors of the API at the fields of the form. */
export function placeErrors(errors: Readonly<Record<string, string>>): PlacedErrors {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, message] of Object.entries(errors)) {
    const place = PLACES.find(([pattern]) => pattern.test(path));
    const field = place ? path.replace(...place) : path;
    if (FIELDS.has(field) || DATASET_FIELD.test(field))
      fields[field] = [fields[field], message].filter(Boolean).join(' ');
    else others.push(path === '' ? message : `${path}: ${message}`);
  }
  return { fields, others };
}
