/** What the job was asked to do: its target, its examples, its reward, and the settings of the optimizer. */
import type { OptimizationDatasetRef, OptimizationJobResponse } from '@drydock/sdk';
import { SimpleGrid, Stack } from '@mantine/core';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { formatCountOf, formatPercent, formatTime } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { KIND_LABELS } from '../states.ts';

export function SettingsTab({ job }: { readonly job: OptimizationJobResponse }) {
  const { reflection_prompt_template, ...config } = job.config;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <SectionCard title="Target">
          <FactList facts={toTarget(job)} />
        </SectionCard>
        <SectionCard title="Examples and reward">
          <FactList facts={toExamples(job)} />
        </SectionCard>
        <SectionCard title="Optimizer">
          <FactList facts={Object.entries(config).map(([name, value]) => [name, toText(value)] as const)} />
        </SectionCard>
        <SectionCard title="Job">
          <FactList facts={toOrigin(job)} />
        </SectionCard>
      </SimpleGrid>
      {reflection_prompt_template && (
        <SectionCard title="Reflection prompt template">
          <LongText
            text={reflection_prompt_template}
            fileName="template.txt"
            label="Reflection prompt template"
          />
        </SectionCard>
      )}
    </Stack>
  );
}

/** Settings of any type as text. Null is the same as not given. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const toTarget = (job: OptimizationJobResponse): Fact[] => [
  ['Target', KIND_LABELS[job.target_kind]],
  ['Capability', `${job.capability.name}@${job.capability.version}`],
  ['Digest', job.capability.runtime_digest],
  ['Agent', job.agent_name],
  ['Components', job.components.join(', ')],
  ['Model', job.model],
  ['Reflection model', job.config.reflection_lm ?? job.model],
  ['Objective', job.objective],
];

const toExamples = ({ summary, ...job }: OptimizationJobResponse): Fact[] => [
  ['Training set', toSource(job.dataset_ref, job.task_refs)],
  [
    'Validation set',
    toSource(job.val_dataset_ref, job.val_task_refs) ?? 'the training set (no other was given)',
  ],
  [
    'Sizes',
    `${formatCountOf(summary.train_size, 'example')} to train, ${summary.val_size || 'the same'} to validate`,
  ],
  [
    'Holdout',
    `${formatCountOf(summary.metadata.holdout_size, 'example')} (${formatPercent(job.holdout_fraction)})`,
  ],
  ['Reward recipe', job.reward_recipe?.name],
  ...Object.entries(job.reward_recipe?.params ?? {}).map(([name, value]) => [name, toText(value)] as const),
];

function toSource(dataset: OptimizationDatasetRef | null, tasks: readonly string[] | null): string | null {
  if (!dataset) return tasks?.join(', ') ?? null;
  return `${dataset.name}@${dataset.version}${dataset.split ? ` (${dataset.split})` : ''}`;
}

const toOrigin = (job: OptimizationJobResponse): Fact[] => [
  ['ID', job.id],
  ['Created by', job.created_by_user?.full_name ?? job.created_by_email],
  ['Created', formatTime(job.created_at)],
  ['Started', formatTime(job.started_at)],
  ['Ended', formatTime(job.completed_at)],
  ['Project', job.project],
  ['Retry of', job.retry_of],
  ['Run', job.run_ref],
  ['Tags', job.tags.join(', ')],
];
