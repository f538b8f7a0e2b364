/** The settings of a fine-tuning job: the contract's TrainingConfig, and two that it leaves open. */
import { z } from 'zod';
import { listOf } from '../platform/http/requests/lists.ts';

const MAX_INT = 2_147_483_647;
const Text = z.string().min(1).max(255);
const Count = z.int().min(1).max(MAX_INT).nullish();

export const TrainingDatasetRef = z
  .object({
    name: Text.describe('`name`, or `org/name` of a public dataset'),
    version: Text,
    split: Text.nullish().describe('`train`, or `validation` for the evaluation, where there are several'),
  })
  .meta({ id: 'TrainingDatasetRef' });

export type DatasetRefOf = z.output<typeof TrainingDatasetRef>;

/** Loose, so that the settings are kept as they were sent. */
export const TrainingConfigRequest = z
  .looseObject({
    dataset_ref: TrainingDatasetRef.nullish().describe(
      'Rows of `messages` (with `tools`), of `prompt` and `completion`, or of `text`',
    ),
    trajectory_dataset_refs: listOf(TrainingDatasetRef, 100)
      .nullish()
      .describe('Datasets of trajectories, in the formats ATIF or OpenAI'),
    eval_dataset_ref: TrainingDatasetRef.nullish().describe('Its loss is measured at every checkpoint'),
    epochs: Count.describe('3 by default'),
    steps: Count.describe('Caps the epochs'),
    batch_size: Count.describe(
      'Examples for a step, 4 by default; the trainer divides it as its memory allows',
    ),
    gradient_accumulation_steps: Count.describe('Multiplies the batch, 1 by default'),
    learning_rate: z.number().positive().nullish().describe('2e-4 by default'),
    max_sequence_length: Count.describe(
      'Maximum tokens of an example, 2048 by default; the rest is truncated and counted',
    ),
    lora_rank: Count.describe('16 by default'),
    lora_alpha: Count.describe('Twice the rank by default'),
    checkpoint_interval: Count.describe('Steps; by default a checkpoint is saved once an epoch'),
    seed: z.int().min(0).max(MAX_INT).nullish().describe('0 by default'),
    packing: z.boolean().nullish().describe('Join short examples to sequences of the full length'),
  })
  .meta({ id: 'TrainingConfigRequest' });

export type TrainingConfigOf = z.output<typeof TrainingConfigRequest>;

/** The settings that a trainer gets: all are set. */
export interface EffectiveConfig {
  readonly epochs: number;
  /** Caps the epochs. */
  readonly steps: number | null;
  readonly batch_size: number;
  readonly gradient_accumulation_steps: number;
  readonly learning_rate: number;
  readonly max_sequence_length: number;
  readonly lora_rank: number;
  readonly lora_alpha: number;
  /** null: once an epoch. */
  readonly checkpoint_interval: number | null;
  readonly seed: number;
  readonly packing: boolean;
}

export function toEffectiveConfig(config: TrainingConfigOf): EffectiveConfig {
  const lora_rank = config.lora_rank ?? 16;
  return {
    epochs: config.epochs ?? 3,
    steps: config.steps ?? null,
    batch_size: config.batch_size ?? 4,
    gradient_accumulation_steps: config.gradient_accumulation_steps ?? 1,
    learning_rate: config.learning_rate ?? 2e-4,
    max_sequence_length: config.max_sequence_length ?? 2_048,
    lora_rank,
    lora_alpha: config.lora_alpha ?? 2 * lora_rank,
    checkpoint_interval: config.checkpoint_interval ?? null,
    seed: config.seed ?? 0,
    packing: config.packing ?? false,
  };
}
