/** The key facts of the selected assessment, beside the list. */
import type { AssessmentResponse } from '@drydock/sdk';
import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { type Fact, FactList } from '../components/fact-list.tsx';
import { formatCount, formatTime, formatUsd } from '../components/format.ts';
import { ButtonLink } from '../components/links.tsx';
import { SidePanel } from '../components/list/side-panel.tsx';
import { Figure } from '../evaluations/figures.tsx';
import { useWhere } from '../frame/scope.ts';
import { AsrBar, AssessmentBadge, describeInterval, RiskText, SeverityChips } from './figures.tsx';
import { hasEnded, KIND_LABELS, kindOf, targetOf } from './states.ts';

interface AssessmentPanelProps {
  readonly assessment: AssessmentResponse;
  readonly onClose: () => void;
}

export function AssessmentPanel({ assessment, onClose }: AssessmentPanelProps) {
  const where = useWhere();
  const { id, name, error, success, risk_score, status, progress } = assessment;
  return (
    <SidePanel title={name} onClose={onClose}>
      <Stack gap="sm">
        <Group>
          <AssessmentBadge assessment={assessment} />
        </Group>
        {error && (
          <Alert color="red" variant="outline" p="xs">
            <Text size="xs" className="user-text">
              {error}
            </Text>
          </Alert>
        )}
        <SimpleGrid cols={2} spacing="sm">
          <Figure label="Attack success rate" hint={describeInterval(success)}>
            {success.asr === null ? '–' : `${(100 * success.asr).toFixed(1)} %`}
          </Figure>
          <Figure label="Risk">
            <RiskText risk={hasEnded(status) ? risk_score : null} />
          </Figure>
        </SimpleGrid>
        <AsrBar label="Attack success rate" rate={success} />
        <SeverityChips counts={progress.severities} />
        <FactList facts={toFacts(assessment)} />
        <ButtonLink
          to="/o/$org/w/$workspace/red-team/$assessmentId"
          params={{ ...where, assessmentId: id }}
          size="xs"
        >
          Open the report
        </ButtonLink>
      </Stack>
    </SidePanel>
  );
}

const toFacts = (assessment: AssessmentResponse): Fact[] => {
  const { progress } = assessment;
  return [
    ['Target', targetOf(assessment)],
    ['Kind', KIND_LABELS[kindOf(assessment)]],
    ['Attacker', assessment.attacker_model],
    ['Judge', assessment.judge_model],
    ['Findings', `${formatCount(progress.completed_findings)} of ${formatCount(progress.findings)}`],
    ['Trials', formatCount(progress.trials)],
    ['Cost', formatUsd(progress.cost_usd)],
    ['Started', formatTime(assessment.started_at)],
    ['Ended', formatTime(assessment.completed_at)],
  ];
};
