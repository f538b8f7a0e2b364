/** The request that creates a training job. */
import { z } from 'zod';
import { Name } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';
import { SemVer } from '../../registry/service.ts';
import { TrainingConfigRequest } from '../config-schema.ts';
import { BACKEND_NAMES, TRAINER_TYPES, toBackend } from '../schema.ts';

const Text = z.string().min(1).max(255);

/** Loose, so that fields of worlds are noticed; every other unknown field is ignored. */
export const TrainingJobCreateRequest = z
  .looseObject({
    name: Name.nullish().describe('The model version that the job publishes is named for it'),
    backend: z
      .enum(BACKEND_NAMES)
      .default('hosted_a')
      .describe('`tinker` is an alias of `hosted_a`, `ray` of `hosted_b`')
      .transform(toBackend),
    trainer_type: z.enum(TRAINER_TYPES).default('sft'),
    model: z
      .string()
      .min(1)
      .max(500)
      .describe('`org/name@version` of the registry, or a name that a trainer knows'),
    capability_ref: z.object({ name: Text, version: SemVer }),
    config: TrainingConfigRequest,
    project_ref: Text.nullish().describe('Key or id of a project'),
    run_ref: Text.nullish(),
    tags: listOf(Text, 50).nullish(),
  })
  .superRefine((request, context) => {
    const refuse = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message, input: request });
    const { trainer_type, backend, config } = request;
    if (trainer_type === 'rl')
      refuse(['trainer_type'], 'no engine for reinforcement learning is available here; use "sft"');
    else if (backend === 'hosted_b')
      refuse(['backend'], 'trains with reinforcement learning only; use "hosted_a" for "sft"');
    else if (!config.dataset_ref && !config.trajectory_dataset_refs?.length)
      refuse(
        ['config', 'dataset_ref'],
        'there is nothing to train on; give dataset_ref or trajectory_dataset_refs',
      );
    for (const [path, fields] of [[[], request] as const, [['config'], config] as const])
      for (const field of Object.keys(fields))
        if (field.startsWith('world_')) refuse([...path, field], 'worlds are not offered here; leave it out');
  })
  .meta({ id: 'TrainingJobCreateRequest' });

export type CreateRequest = z.output<typeof TrainingJobCreateRequest>;

export const TrainingEstimateResponse = z
  .object({
    examples: z.int().describe('Rows of all datasets that are trained on'),
    tokens: z.int().describe('Of one epoch, about: a token for every four characters'),
    steps: z.int(),
    truncated_examples: z.int().describe('Rows that are probably longer than max_sequence_length'),
    longest_rows: z.array(z.object({ dataset: z.string(), row: z.int(), tokens: z.int() })),
    memory_bytes: z
      .int()
      .nullable()
      .describe('Approximate memory that a trainer needs; null for a model that is not in the registry'),
    rows_read: z.int().describe('The figures of larger datasets are extrapolated from these rows'),
    effective_config: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TrainingEstimateResponse' });
