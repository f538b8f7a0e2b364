/** What a job was made of and what was made of it, as nodes in columns and edges between them. */
import type { TrainingArtifactsResponse, TrainingJobResponse } from '@drydock/sdk';
import { formatBytes, formatCount, formatCountOf } from '../../components/format.ts';
import { nameOf } from '../states.ts';

export interface Node {
  readonly key: string;
  readonly kind: string;
  readonly title: string;
  /** Versions and digests. */
  readonly detail: string;
  readonly color: string;
  readonly target?: { readonly jobId: string } | { readonly tab: 'checkpoints' };
}

export interface Lineage {
  readonly columns: readonly { readonly label: string; readonly nodes: readonly Node[] }[];
  /** Keys of nodes. */
  readonly edges: readonly (readonly [from: string, to: string])[];
  /** Checkpoints that are left out of the graph. */
  readonly hidden: number;
}

type Artifacts = TrainingArtifactsResponse['artifacts'];

/** The lineage of the API, which is stored in the manifest of published models. */
interface Stored {
  readonly base_model?: { readonly model: string; readonly digest?: string };
  readonly capability?: { readonly name: string; readonly version: string; readonly digest?: string };
  readonly data?: readonly StoredData[];
  readonly eval_data?: readonly StoredData[];
}

interface StoredData {
  readonly role: string;
  readonly dataset: string;
  readonly split: string;
  readonly rows: number;
  readonly digest: string;
}

/** Checkpoints in the graph that were not published. */
const MAX_CHECKPOINTS = 6;

const shorten = (digest: string | undefined): string =>
  digest === undefined ? 'not in the registry' : `digest ${digest.replace(/^sha256:/, '').slice(0, 12)}`;

export function toLineage(job: TrainingJobResponse, artifacts: Artifacts): Lineage {
  const inputs = toInputs(job, artifacts.lineage);
  const self: Node = {
    key: 'job',
    kind: 'Training job',
    title: nameOf(job),
    detail: `${job.trainer_type} by ${job.worker ?? 'no trainer yet'}, ${formatCountOf(job.step, 'step')}`,
    color: 'blue',
  };
  const { published } = artifacts;
  const isPublished = (step: number) => published.some((one) => one.step === step);
  const others = artifacts.checkpoints.filter(({ step }) => !isPublished(step));
  const kept = new Set(others.slice(-MAX_CHECKPOINTS).map(({ step }) => step));
  const checkpoints = artifacts.checkpoints.filter(({ step }) => isPublished(step) || kept.has(step));
  return {
    columns: [
      { label: 'Made of', nodes: inputs },
      { label: 'Job', nodes: [self] },
      { label: 'Checkpoints', nodes: checkpoints.map(toCheckpoint) },
      { label: 'Published model versions', nodes: published.map(toPublished) },
    ],
    edges: [
      ...inputs.map(({ key }) => [key, 'job'] as const),
      ...checkpoints.map(({ step }) => ['job', `checkpoint/${step}`] as const),
      ...published.map((one) => [`checkpoint/${one.step}`, toKey(one)] as const),
    ],
    hidden: artifacts.checkpoints.length - checkpoints.length,
  };
}

function toInputs(job: TrainingJobResponse, stored: Stored): Node[] {
  const { base_model, capability, data = [], eval_data = [] } = stored;
  return [
    ...(job.retry_of
      ? [
          {
            key: 'retry',
            kind: 'Earlier job',
            title: job.retry_of,
            detail: 'continued from its last checkpoint',
            color: 'blue',
            target: { jobId: job.retry_of },
          },
        ]
      : []),
    {
      key: 'base',
      kind: 'Base model',
      title: base_model?.model ?? job.model,
      detail: shorten(base_model?.digest),
      color: 'grape',
    },
    ...[...data, ...eval_data].map((one, index) => ({
      key: `data/${index}`,
      kind: DATA_KINDS[one.role] ?? one.role,
      title: one.dataset,
      detail: `${one.split}, ${formatCountOf(one.rows, 'row')}, ${shorten(one.digest)}`,
      color: 'teal',
    })),
    {
      key: 'capability',
      kind: 'Capability',
      title: capability
        ? `${capability.name}@${capability.version}`
        : `${job.capability.name}@${job.capability.version}`,
      detail: shorten(capability?.digest),
      color: 'orange',
    },
  ];
}

const DATA_KINDS: Readonly<Record<string, string>> = {
  train: 'Training data',
  eval: 'Evaluation data',
  trajectories: 'Trajectories',
};

const toCheckpoint = ({ step, size_bytes, digest }: Artifacts['checkpoints'][number]): Node => ({
  key: `checkpoint/${step}`,
  kind: 'Checkpoint',
  title: `Step ${formatCount(step)}`,
  detail: `${formatBytes(size_bytes)}, ${shorten(digest)}`,
  color: 'gray',
  target: { tab: 'checkpoints' },
});

const toKey = ({ model, version }: Artifacts['published'][number]): string => `model/${model}@${version}`;

const toPublished = (one: Artifacts['published'][number]): Node => ({
  key: toKey(one),
  kind: one.is_final ? 'Model, result of the job' : 'Model',
  title: `${one.model}@${one.version}`,
  detail: `from step ${formatCount(one.step)}`,
  color: 'grape',
});
