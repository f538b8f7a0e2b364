/** One finding: its evidence, compliance, history and retests. */
import type { FindingDetail } from '@drydock/sdk';
import { Badge, Button, CloseButton, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconListCheck, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyAs } from '../../components/copy-as.tsx';
import { ErrorNotice, replacesPage } from '../../components/error-notice.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { formatCount, formatDuration, formatScore, formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { AsrBar, FindingBadge, RateText, SeverityBadge, TypeBadge } from '../figures.tsx';
import { findingQuery } from '../queries.ts';
import styles from '../red-team.module.css';
import { categoryOf, hasEnded, toWords } from '../states.ts';
import { Evidence } from './evidence.tsx';
import { History } from './history.tsx';
import { RegressionDialog } from './regression-dialog.tsx';
import { Remediation } from './remediation.tsx';
import { RetestDialog } from './retest-dialog.tsx';
import { Retests } from './retests.tsx';

interface FindingPanelProps {
  readonly findingId: string;
  readonly onClose: () => void;
}

export function FindingPanel({ findingId, onClose }: FindingPanelProps) {
  const where = useWhere();
  const { data: finding, error, refetch } = useQuery(findingQuery(where, findingId));
  useHotkeys([['Escape', onClose]]);
  if (replacesPage(error, finding))
    return (
      <aside className={styles['panel']} aria-label="Finding">
        <ErrorNotice
          error={error}
          onRetry={() => void refetch()}
          backTo={`/o/${where.org}/w/${where.workspace}/red-team/findings`}
          backLabel="the findings"
        />
      </aside>
    );
  return (
    <aside className={styles['panel']} aria-label="Finding">
      {finding ? <Detail finding={finding} onClose={onClose} /> : <Loader size="sm" aria-label="Loading" />}
    </aside>
  );
}

interface DetailProps {
  readonly finding: FindingDetail;
  readonly onClose: () => void;
}

function Detail({ finding, onClose }: DetailProps) {
  const where = useWhere();
  const [isRetesting, retest] = useDisclosure();
  const [isMakingTask, task] = useDisclosure();
  const { id, severity, original_severity, finding_status, finding_type, top_trials } = finding;
  return (
    <Stack gap="md">
      <div>
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} size="h5" className="user-text" lineClamp={4}>
            {finding.goal}
          </Title>
          <CloseButton size="sm" aria-label="Close the panel" onClick={onClose} />
        </Group>
        <Group gap={6} mt={6}>
          <SeverityBadge severity={severity} />
          <FindingBadge status={finding_status} />
          <TypeBadge type={finding_type} />
          {original_severity && original_severity !== severity && (
            <Text size="xs" c="dimmed">
              was {original_severity}
            </Text>
          )}
        </Group>
        <Group gap="xs" mt={8}>
          <Button
            size="xs"
            leftSection={<IconRefresh size={14} />}
            disabled={!hasEnded(finding.status)}
            title={hasEnded(finding.status) ? undefined : 'The attack still runs'}
            onClick={retest.open}
          >
            Retest
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconListCheck size={14} />}
            disabled={!finding.is_jailbreak}
            title={finding.is_jailbreak ? undefined : 'The attack never succeeded'}
            onClick={task.open}
          >
            Make regression task
          </Button>
          <CopyAs
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/airt/findings/${id}`}
            code={`await drydock.findings.get(${JSON.stringify({ ...where, finding_id: id })})`}
          />
        </Group>
      </div>
      <Remediation finding={finding} />
      <AsrBar label="Attack success rate" rate={finding.success} />
      <Part title={top_trials.length > 0 ? 'Evidence: best trial' : 'Evidence'}>
        <Evidence
          goal={finding.goal}
          candidate={finding.best_candidate}
          transformedPrompt={finding.best_transformed_prompt}
          response={finding.best_response}
          reasoning={finding.best_judge_reasoning}
        />
      </Part>
      <OtherTrials finding={finding} />
      <Part title="Details">
        <Facts finding={finding} />
      </Part>
      <ComplianceTags finding={finding} />
      <Part title="Retests">
        <Retests finding={finding} />
      </Part>
      <Part title="History">
        <History finding={finding} />
      </Part>
      {isRetesting && <RetestDialog finding={finding} onClose={retest.close} />}
      {isMakingTask && <RegressionDialog finding={finding} onClose={task.close} />}
    </Stack>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title}>
    <Title order={3} size="h6" mb={6}>
      {title}
    </Title>
    {children}
  </section>
);

function Facts({ finding }: Pick<DetailProps, 'finding'>) {
  const where = useWhere();
  const { success, finished_trials, total_trials, transforms_applied, execution_time_s } = finding;
  return (
    <Stack gap={6}>
      <FactList
        facts={[
          ['Attack success', <RateText key="rate" rate={success} />],
          ['Best score', formatScore(finding.best_score)],
          ['Trials', `${formatCount(finished_trials)} of ${formatCount(total_trials)} finished`],
          ['Attack', toWords(finding.attack_name)],
          ['Goal category', toWords(categoryOf(finding))],
          ['Transforms', transforms_applied?.map(toWords).join(', ')],
          ['Target', finding.target_model],
          ['Attacker', finding.attacker_model],
          ['Judge', finding.evaluator_model],
          ['Cost', formatUsd(finding.cost_usd)],
          ['Time', execution_time_s === null ? null : formatDuration(execution_time_s * 1_000)],
          ['Notes', finding.notes],
          ['Error', finding.error],
          [
            'Assessment',
            <AnchorLink
              key="assessment"
              to="/o/$org/w/$workspace/red-team/$assessmentId"
              params={{ ...where, assessmentId: finding.assessment_id }}
              search={{}}
              size="sm"
              className="user-text"
            >
              {finding.assessment_name ?? finding.assessment_id}
            </AnchorLink>,
          ],
        ]}
      />
      {finding.retest_of && (
        <Text size="xs" c="dimmed">
          This is a retest of{' '}
          <AnchorLink
            to="/o/$org/w/$workspace/red-team/findings"
            params={where}
            search={{ finding: finding.retest_of }}
            size="xs"
            underline="always"
          >
            an earlier finding
          </AnchorLink>
          .
        </Text>
      )}
    </Stack>
  );
}

/** The trials after the best one, folded. */
function OtherTrials({ finding: { goal, top_trials } }: Pick<DetailProps, 'finding'>) {
  const others = top_trials.slice(1);
  if (others.length === 0) return null;
  return (
    <Part title="Other top trials">
      <Stack gap={4}>
        {others.map((trial) => (
          <details key={trial.rank} className={styles['fold']}>
            <Text component="summary" size="sm">
              {trial.rank}. {trial.is_jailbreak ? 'Jailbreak' : 'Held'}, score {formatScore(trial.score)}
            </Text>
            <Evidence
              goal={goal}
              candidate={trial.candidate}
              transformedPrompt={trial.transformed_prompt}
              response={trial.response}
              reasoning={trial.judge_reasoning}
            />
          </details>
        ))}
      </Stack>
    </Part>
  );
}

function ComplianceTags({ finding: { compliance_tags } }: Pick<DetailProps, 'finding'>) {
  const tags = Object.entries(compliance_tags ?? {}).filter(([, controls]) => controls.length > 0);
  if (tags.length === 0) return null;
  return (
    <Part title="Compliance">
      <FactList
        facts={tags.map(([framework, controls]) => [
          toWords(framework),
          <Group key={framework} gap={4}>
            {controls.map((control) => (
              <Badge key={control} variant="default" tt="none" fw={400} radius="sm">
                {control}
              </Badge>
            ))}
          </Group>,
        ])}
      />
    </Part>
  );
}
