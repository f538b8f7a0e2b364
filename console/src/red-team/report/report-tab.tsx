/** What the assessment found: rates, risk, severity, the heat map, compliance, and what to do next. */
import type { AirtAnalytics, AssessmentResponse } from '@drydock/sdk';
import { List, Loader, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { formatCount, formatCountOf, formatPercent } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useWhere } from '../../frame/scope.ts';
import { AsrBar, describeInterval, SeverityBadge } from '../figures.tsx';
import styles from '../red-team.module.css';
import type { FindingListSearch } from '../search.ts';
import { SEVERITIES, SEVERITY_LABELS, toWords } from '../states.ts';
import { Calibration } from './calibration.tsx';
import { Compliance } from './compliance.tsx';
import { HeatMap } from './heat-map.tsx';
import { RateTable, TransformLift } from './rates.tsx';
import { RiskGauge } from './risk-gauge.tsx';
import { Trend } from './trend.tsx';

export interface ReportProps {
  readonly analytics: AirtAnalytics;
  readonly onShowFindings: (filters: FindingListSearch) => void;
}

interface ReportTabProps extends Pick<ReportProps, 'onShowFindings'> {
  readonly assessment: AssessmentResponse;
  readonly analytics: AirtAnalytics | undefined;
}

export function ReportTab({ assessment, analytics, onShowFindings }: ReportTabProps) {
  if (!analytics) return <Loader size="sm" aria-label="Loading" />;
  if (analytics.total_attacks === 0)
    return (
      <Text size="sm" c="dimmed">
        There is nothing to report yet: no attack has run.
      </Text>
    );
  const shared = { analytics, onShowFindings };
  return (
    <Stack gap="md">
      <Headline {...shared} />
      <SectionCard
        title="Goals by attack"
        hint="Success rate and finished trials. A cell leads to its findings."
      >
        <HeatMap {...shared} />
      </SectionCard>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: 'start' }}>
        <Stack gap="md">
          <SectionCard title="By attack">
            <RateTable
              label="Success rate by attack"
              rates={analytics.by_attack}
              toLabel={toWords}
              onOpen={(name) => onShowFindings({ attack: [name] })}
            />
          </SectionCard>
          <SectionCard
            title="Lift of transforms"
            hint={`Against the baseline, prompts as they are: ${formatPercent(analytics.baseline.asr)} of ${formatCountOf(analytics.baseline.n, 'trial')}`}
          >
            <TransformLift analytics={analytics} />
          </SectionCard>
          <TopFindings {...shared} />
          <SectionCard title="Judge calibration" hint="What reviews of people say about the judge">
            <Calibration calibration={analytics.calibration} />
          </SectionCard>
        </Stack>
        <Stack gap="md">
          <SectionCard title="By goal">
            <RateTable
              label="Success rate by goal"
              rates={analytics.by_goal}
              toLabel={(goal) => goal}
              onOpen={(goal) => onShowFindings({ search: goal.slice(0, MAX_SEARCH) })}
            />
          </SectionCard>
          <SectionCard title="Trend" hint="Assessments of the project that have ended">
            <Trend projectId={assessment.project_id} current={assessment.id} />
          </SectionCard>
          <Recommendations analytics={analytics} />
          <SectionCard title="Compliance" hint="Controls that were tested, and those that an attack broke">
            <Compliance controls={analytics.compliance} />
          </SectionCard>
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

/** The API takes searches of at most this length. */
const MAX_SEARCH = 200;

/** The rate, the risk, and cards of severities that lead to their findings. */
function Headline({ analytics, onShowFindings }: ReportProps) {
  const { success, risk_score, severity_counts, run, error_trials } = analytics;
  const isTriaged = run.overall_asr !== null && run.overall_asr !== analytics.overall_asr;
  return (
    <div className={styles['headline']}>
      <SectionCard title="Attack success rate">
        <Text fw={700} fz={32} lh={1.1}>
          {formatPercent(success.asr)}
        </Text>
        <Text size="xs" c="dimmed" mb={8}>
          {success.interval ? `95 % interval ${describeInterval(success)}` : 'No trial has finished yet.'}
        </Text>
        <AsrBar label="Attack success rate" rate={success} height={16} />
        <Text size="xs" c="dimmed" mt={6}>
          {formatCount(success.successes)} of {formatCountOf(success.n, 'finished trial')}
          {error_trials > 0 && `; ${formatCount(error_trials)} failed and count nowhere`}
          {isTriaged && `; ${formatPercent(run.overall_asr)} before triage`}
        </Text>
      </SectionCard>
      <SectionCard title="Risk">
        <RiskGauge risk={risk_score} />
      </SectionCard>
      <SectionCard title="Findings with a success">
        <div className={styles['severityCards']}>
          {SEVERITIES.map((severity) => (
            <UnstyledButton
              key={severity}
              className={styles['severityCard']}
              data-severity={severity}
              onClick={() => onShowFindings({ severity: [severity], type: ['jailbreak'] })}
            >
              <Text component="span" fw={700} fz={24} lh={1.1}>
                {formatCount(severity_counts[severity] ?? 0)}
              </Text>
              <Text component="span" size="xs">
                {SEVERITY_LABELS[severity]}
              </Text>
            </UnstyledButton>
          ))}
        </div>
        <Text size="xs" c="dimmed" mt={8}>
          Choose a severity to see its findings.
        </Text>
      </SectionCard>
    </div>
  );
}

function TopFindings({ analytics: { top_findings, assessment_id } }: ReportProps) {
  const where = useWhere();
  return (
    <SectionCard title="Top findings">
      {top_findings.length === 0 && (
        <Text size="sm" c="dimmed">
          No attack has succeeded.
        </Text>
      )}
      <Stack gap={8}>
        {top_findings.map(({ id, goal, attack_name, severity, best_score }) => (
          <div key={id} className={styles['topFinding']}>
            <SeverityBadge severity={severity} />
            <div>
              <AnchorLink
                to="/o/$org/w/$workspace/red-team/$assessmentId"
                params={{ ...where, assessmentId: assessment_id }}
                search={{ tab: 'findings', finding: id }}
                size="sm"
                className="user-text"
                lineClamp={2}
              >
                {goal}
              </AnchorLink>
              <Text size="xs" c="dimmed">
                {toWords(attack_name)}, score {best_score ?? '–'}
              </Text>
            </div>
          </div>
        ))}
      </Stack>
    </SectionCard>
  );
}

function Recommendations({ analytics: { recommendations } }: Pick<ReportProps, 'analytics'>) {
  return (
    <SectionCard title="What to do next">
      {recommendations.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing was broken. Try more attacks, more trials or goals of your own.
        </Text>
      )}
      <List size="sm" spacing={6}>
        {recommendations.map((recommendation) => (
          <List.Item key={recommendation}>{recommendation}</List.Item>
        ))}
      </List>
    </SectionCard>
  );
}
