/** The manifest and the card of a model version that a job publishes: what it was made of, and what was measured. */
import { stringify } from 'yaml';
import type { PinnedArtifact, StoredJob } from '../stored-job.ts';

const referenceOf = ({ name, version }: Pick<PinnedArtifact, 'name' | 'version'>) => `${name}@${version}`;

export interface Published {
  readonly job: StoredJob;
  readonly step: number;
  /** Steps of all complete checkpoints. */
  readonly checkpoints: readonly number[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** `origin` of model.yaml. */
export function toLineage({ job, step, checkpoints, metrics }: Published): Readonly<Record<string, unknown>> {
  const { base, capability, datasets, effective } = job.request;
  const start = job.start_report ?? {};
  const dataOf = (isEval: boolean) =>
    datasets
      .filter(({ role }) => (role === 'eval') === isEval)
      .map((dataset) => ({
        role: dataset.role,
        dataset: referenceOf(dataset),
        split: dataset.split,
        rows: dataset.row_count,
        digest: dataset.digest,
        sha256: dataset.sha256,
      }));
  return {
    training_job: job.id,
    retry_of: job.retry_of,
    step,
    base_model: base ? { model: referenceOf(base), digest: base.digest } : { model: job.model },
    capability: { name: capability.name, version: capability.version, digest: capability.digest },
    data: dataOf(false),
    eval_data: dataOf(true),
    config: effective,
    seed: effective.seed,
    metrics,
    checkpoints,
    trainer: job.worker,
    engine: start['engine'] ?? {},
    libraries: start['libraries'] ?? {},
  };
}

export function toManifest(published: Published): string {
  const { job } = published;
  const { base } = job.request;
  return stringify({
    framework: 'peft',
    base_model: base ? referenceOf(base) : job.model.slice(0, 255),
    task: 'text-generation',
    summary: toSummary(published),
    tags: ['lora', 'sft'],
    origin: toLineage(published),
  });
}

function toSummary({ job, step }: Published): string {
  const data = job.request.datasets.filter(({ role }) => role !== 'eval').map(referenceOf);
  return `LoRA of ${job.model}, trained for ${step} steps on ${data.join(', ')}`.slice(0, 2_000);
}

/** README.md of the version. */
export function toCard(published: Published): string {
  const { job, metrics } = published;
  const { effective, datasets, capability } = job.request;
  const list = (entries: readonly (readonly [string, unknown])[]) =>
    entries.map(([name, value]) => `- ${name}: ${String(value)}`).join('\n');
  return `# ${job.name ?? job.id}

${toSummary(published)}. It loads with \`peft\` and \`transformers\` on top of its base model.

## Data

${list(datasets.map((one) => [one.role, `${referenceOf(one)}, split ${one.split}, ${one.row_count} rows`]))}
- capability: ${referenceOf(capability)}

## Settings

${list(Object.entries(effective))}

## Figures

${list(Object.entries(metrics))}
`;
}
