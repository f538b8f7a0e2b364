/** What the assessment was asked to do: its target, its attacks, its models. */
import type { AssessmentResponse } from '@drydock/sdk';
import { SimpleGrid, Stack } from '@mantine/core';
import { type Fact, FactList } from '../../components/fact-list.tsx';
import { formatTime } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { KIND_LABELS, kindOf, targetOf } from '../states.ts';

export function SettingsTab({ assessment }: { readonly assessment: AssessmentResponse }) {
  const { target_config, attack_manifest, attacker_config, workflow_script } = assessment;
  const parts = [
    ['Target configuration', target_config, 'target.json'],
    ['Attacker configuration', attacker_config, 'attacker.json'],
    ['Attack manifest', attack_manifest, 'manifest.json'],
  ] as const;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <SectionCard title="Target and models">
          <FactList facts={toTarget(assessment)} />
        </SectionCard>
        <SectionCard title="Assessment">
          <FactList facts={toOrigin(assessment)} />
        </SectionCard>
      </SimpleGrid>
      {parts.map(
        ([title, value, fileName]) =>
          value && (
            <SectionCard key={title} title={title}>
              <LongText text={JSON.stringify(value, null, 2)} fileName={fileName} label={title} />
            </SectionCard>
          ),
      )}
      {workflow_script && (
        <SectionCard title="Workflow script">
          <LongText text={workflow_script} fileName="workflow.txt" label="Workflow script" />
        </SectionCard>
      )}
    </Stack>
  );
}

const toTarget = (assessment: AssessmentResponse): Fact[] => [
  ['Target', targetOf(assessment)],
  ['Kind', KIND_LABELS[kindOf(assessment)]],
  ['Target model', assessment.target_model],
  ['Attacker model', assessment.attacker_model],
  ['Judge model', assessment.judge_model],
];

const toOrigin = (assessment: AssessmentResponse): Fact[] => [
  ['ID', assessment.id],
  ['Run by', assessment.run_by === 'client' ? 'a client that sent spans' : assessment.run_by && 'the server'],
  ['Created', formatTime(assessment.created_at)],
  ['Started', formatTime(assessment.started_at)],
  ['Ended', formatTime(assessment.completed_at)],
  ['Stop reason', assessment.stop_reason],
  ['Project', assessment.project_id],
  ['Retest of', assessment.retest_of],
  ['Workflow run', assessment.workflow_run_id],
];
