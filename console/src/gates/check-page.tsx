/** One check of a gate: the verdict of each rule, with what was measured against its bound. */
import type { GateCheckResponse, GateRule, GateRuleResult, OneGateCheck } from '@drydock/sdk';
import { Alert, Box, Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { drydock } from '../api/client.ts';
import { useLiveEvents } from '../api/live-events.ts';
import { useAction } from '../api/use-action.ts';
import { CopyAs } from '../components/copy-as.tsx';
import { ErrorNotice, replacesPage } from '../components/error-notice.tsx';
import { formatCountOf, formatTime } from '../components/format.ts';
import { AnchorLink } from '../components/links.tsx';
import { useWhere } from '../frame/scope.ts';
import {
  BoundBar,
  describeBound,
  describeInterval,
  describeMargin,
  describeSize,
  describeSource,
  formatValue,
  hasEnded,
  RULE_LABELS,
  targetOf,
  VerdictBadge,
} from './figures.tsx';
import { CHECK_KEY, checkQuery, GATES_KEY } from './queries.ts';

const route = getRouteApi('/o/$org/w/$workspace/gates/$gate/checks/$checkId');

export function CheckPage() {
  const where = useWhere();
  const { gate, checkId } = route.useParams();
  const checkRef = { ...where, gate, check_id: checkId };
  const { data: check, error, refetch } = useQuery(checkQuery(checkRef));
  useLiveCheck(checkRef, check !== undefined && !hasEnded(check));
  useDocumentTitle(check ? `${targetOf(check)} · ${gate} · Drydock` : `${gate} · Drydock`);
  if (replacesPage(error, check))
    return (
      <ErrorNotice
        error={error}
        onRetry={() => void refetch()}
        backTo={`/o/${where.org}/w/${where.workspace}/gates`}
        backLabel="the gates"
      />
    );
  if (!check) return <Loader size="sm" m="md" aria-label="Loading" />;
  return (
    <Box p="md" maw={1100}>
      <Stack gap="md">
        <Header check={check} checkRef={checkRef} />
        {check.error && (
          <Alert color="red" variant="outline" title="This check could not run" role="alert">
            <Text size="sm" className="user-text">
              {check.error}
            </Text>
          </Alert>
        )}
        {check.rules.map((rule, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rules have no id, and their order is fixed
          <RuleCard key={index} rule={rule} result={check.results[index]} isOver={hasEnded(check)} />
        ))}
      </Stack>
    </Box>
  );
}

/** The only event of a check is its end. */
function useLiveCheck(checkRef: OneGateCheck, isLive: boolean): void {
  const queries = useQueryClient();
  const readAgain = () => {
    void queries.invalidateQueries({ queryKey: [CHECK_KEY, checkRef.check_id] });
    void queries.invalidateQueries({ queryKey: [GATES_KEY] });
  };
  useLiveEvents({
    name: isLive ? `gate-checks/${checkRef.check_id}` : undefined,
    open: (options) => drydock.gates.events(checkRef, options),
    onEvent: readAgain,
    onStart: readAgain,
  });
}

interface HeaderProps {
  readonly check: GateCheckResponse;
  readonly checkRef: OneGateCheck;
}

function Header({ check, checkRef }: HeaderProps) {
  const where = useWhere();
  const queries = useQueryClient();
  const { gate, check_id } = checkRef;
  const cancel = useAction(
    () => drydock.gates.cancelCheck(checkRef),
    (cancelled) => void queries.setQueryData(checkQuery(checkRef).queryKey, cancelled),
  );
  return (
    <Box>
      <Group gap={6}>
        <AnchorLink to="/o/$org/w/$workspace/gates" params={where} size="xs">
          Gates
        </AnchorLink>
        <Text size="xs" c="dimmed" aria-hidden>
          /
        </Text>
        <AnchorLink
          to="/o/$org/w/$workspace/gates/$gate"
          params={{ ...where, gate }}
          size="xs"
          className="user-text"
        >
          {check.gate_name}
        </AnchorLink>
      </Group>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={1} size="h3" className="user-text">
            {targetOf(check)}
          </Title>
          <VerdictBadge {...check} />
        </Group>
        <Group gap="xs">
          {!hasEnded(check) && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconX size={14} />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined)}
            >
              Cancel
            </Button>
          )}
          <CopyAs
            path={`/api/v1/org/${where.org}/ws/${where.workspace}/gates/${encodeURIComponent(gate)}/checks/${check_id}`}
            code={`await drydock.gates.getCheck(${JSON.stringify(checkRef)})`}
          />
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {check.capability !== null && (
          <>
            with {check.model},{' '}
            <AnchorLink
              to="/o/$org/w/$workspace/capabilities/$capability/journey"
              params={{ ...where, capability: check.capability }}
              size="sm"
              underline="always"
            >
              journey of {check.capability}
            </AnchorLink>
            ,{' '}
          </>
        )}
        started {formatTime(check.created_at)}
        {check.completed_at && `, ended ${formatTime(check.completed_at)}`}
      </Text>
    </Box>
  );
}

interface RuleCardProps {
  readonly rule: GateRule;
  readonly result: GateRuleResult | undefined;
  readonly isOver: boolean;
}

function RuleCard({ rule, result, isOver }: RuleCardProps) {
  const title = `${RULE_LABELS[rule.kind]} ${describeBound(rule)}`;
  return (
    <Paper component="section" withBorder p="md" aria-label={title}>
      <Group justify="space-between" gap="sm" mb={4}>
        <div>
          <Title order={2} size="h6">
            {title}
          </Title>
          <Text size="xs" c="dimmed" className="user-text">
            {[describeSource(rule), describeMargin(rule)].filter(Boolean).join('; ')}
          </Text>
        </div>
        {result && isOver && <VerdictBadge verdict={result.verdict} status="completed" />}
      </Group>
      {result ? (
        <Measured result={result} isOver={isOver} />
      ) : (
        <Text size="sm" c="dimmed">
          Nothing was measured.
        </Text>
      )}
    </Paper>
  );
}

function Measured({ result, isOver }: Pick<RuleCardProps, 'isOver'> & { readonly result: GateRuleResult }) {
  const where = useWhere();
  const { kind, value, more_samples, reason, evaluation_id, assessment_id } = result;
  const range = describeInterval(result);
  return (
    <Stack gap={4}>
      <BoundBar result={result} />
      <Text size="sm">
        <b>{formatValue(kind, value)}</b>
        {range && `, 95 % interval ${range}`}, {describeSize(result)}
        {!isOver && ' so far'}
      </Text>
      {isOver && (
        <Text size="sm" c="dimmed" className="user-text">
          {reason}
        </Text>
      )}
      {isOver && more_samples !== null && (
        <Text size="sm" fw={500}>
          {formatCountOf(more_samples, kind === 'asr' ? 'more trial' : 'more sample')}{' '}
          {more_samples === 1 ? 'is' : 'are'} needed.
        </Text>
      )}
      <Group gap="md">
        {evaluation_id && (
          <AnchorLink
            to="/o/$org/w/$workspace/evaluations/$evaluationId"
            params={{ ...where, evaluationId: evaluation_id }}
            size="sm"
          >
            Evaluation
          </AnchorLink>
        )}
        {assessment_id && (
          <AnchorLink
            to="/o/$org/w/$workspace/red-team/$assessmentId"
            params={{ ...where, assessmentId: assessment_id }}
            size="sm"
          >
            Assessment
          </AnchorLink>
        )}
      </Group>
    </Stack>
  );
}
