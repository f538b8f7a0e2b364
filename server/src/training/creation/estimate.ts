/** Estimates what a training job takes, from the sizes of its rows. */
import type { z } from 'zod';
import type { WorkspaceScope } from '../../platform/auth/principal.ts';
import type { DatasetStore } from '../../registry/service.ts';
import type { BaseModel } from './base-model.ts';
import { type JobPlan, planJob } from './plan.ts';
import type { CreateRequest, TrainingEstimateResponse } from './schema.ts';

const CHARACTERS_PER_TOKEN = 4;
const LONGEST_ROWS = 10;
/** Bytes of activations of a token, by the square root of the bytes of the weights: a rule of thumb for decoders. */
const ACTIVATION_FACTOR = 40;
const RUNTIME_BYTES = 1024 ** 3;

export async function estimateJob(
  store: DatasetStore,
  scope: WorkspaceScope,
  request: CreateRequest,
  signal: AbortSignal,
): Promise<z.output<typeof TrainingEstimateResponse>> {
  const plan = await planJob(store, scope, request, signal);
  const { effective } = plan.stored;
  const trained = plan.datasets.filter(({ stored }) => stored.role !== 'eval');
  const rows = trained.flatMap(({ stored, sizes }) => {
    // A dataset of which only the first rows were read counts as if the others were like them.
    const share = stored.row_count / sizes.length;
    return sizes.map(({ row, characters }) => ({
      dataset: `${stored.name}@${stored.version}`,
      row,
      share,
      tokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    }));
  });
  const { max_sequence_length: limit } = effective;
  const sum = (of: (row: (typeof rows)[number]) => number) =>
    Math.round(rows.reduce((total, row) => total + of(row) * row.share, 0));
  const tokens = sum((row) => Math.min(row.tokens, limit));
  const examples = trained.reduce((total, { stored }) => total + stored.row_count, 0);
  return {
    examples,
    tokens,
    steps: countSteps(plan, examples, tokens),
    truncated_examples: sum((row) => Number(row.tokens > limit)),
    longest_rows: rows
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, LONGEST_ROWS)
      .map(({ dataset, row, tokens: length }) => ({ dataset, row, tokens: length })),
    memory_bytes: plan.base ? estimateMemory(plan.base, plan) : null,
    rows_read: rows.length,
    effective_config: { ...effective },
  };
}

function countSteps({ stored }: JobPlan, examples: number, tokens: number): number {
  const { epochs, steps, batch_size, gradient_accumulation_steps, packing, max_sequence_length } =
    stored.effective;
  const sequences = packing ? Math.ceil(tokens / max_sequence_length) : examples;
  const perEpoch = Math.ceil(sequences / (batch_size * gradient_accumulation_steps));
  return Math.min(steps ?? Infinity, epochs * perEpoch);
}

/** The weights, the activations of one sequence, and the program itself; a trainer uses more where it has more. */
const estimateMemory = ({ sizeBytes }: BaseModel, { stored }: JobPlan) =>
  Math.round(
    sizeBytes +
      ACTIVATION_FACTOR * Math.sqrt(sizeBytes) * stored.effective.max_sequence_length +
      RUNTIME_BYTES,
  );
