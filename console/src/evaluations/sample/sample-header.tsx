/** The header of a sample: why it passed or failed, its answer and figures, and buttons for the other samples. */
import type { ContaminationSource, EvaluationItem, OneItem, TaskDetail } from '@drydock/sdk';
import {
  Alert,
  Box,
  Button,
  Group,
  Kbd,
  Paper,
  SimpleGrid,
  Spoiler,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconChevronLeft, IconChevronRight, IconRefresh, IconX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { drydock } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import {
  formatCompact,
  formatCount,
  formatDuration,
  formatScore,
  formatUsd,
} from '../../components/format.ts';
import { AnchorLink, ButtonLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { kindLabelOf, NodeLink, titleOf } from '../../lineage/lineage-link.tsx';
import { ContaminatedBadge } from '../contaminated-badge.tsx';
import { Figure, ItemBadge } from '../figures.tsx';
import { patchItem } from '../live.tsx';
import { evaluationQuery } from '../queries.ts';
import { hasItemEnded, itemColor, toTaskLabel } from '../states.ts';
import { explain, readVerification } from './verdict.ts';

const route = getRouteApi('/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId');

interface SampleHeaderProps {
  readonly item: EvaluationItem;
  readonly itemRef: OneItem;
  readonly task: TaskDetail | undefined;
}

export function SampleHeader({ item, itemRef, task }: SampleHeaderProps) {
  const where = useWhere();
  const { data: evaluation } = useQuery(evaluationQuery(itemRef));
  const path = `/api/v1/org/${where.org}/ws/${where.workspace}/evaluation/${item.evaluation_id}/items/${item.id}`;
  return (
    <Stack gap="sm">
      <Box>
        <Breadcrumbs evaluationId={item.evaluation_id} evaluationName={evaluation?.name} />
        <Group justify="space-between" gap="sm" align="flex-start">
          <Group gap="sm" miw={0} flex="1 1 320px">
            <Title order={1} size="h3" className="user-text">
              {toTaskLabel(item)}
            </Title>
            <Text size="sm" c="dimmed">
              {item.task_version && `${item.task_version} · `}sample {item.sample}
            </Text>
            <ItemBadge status={item.item_status} />
            {item.contaminated && <ContaminatedBadge source={item.contaminated_by} />}
          </Group>
          <Group gap="xs">
            <SampleNavigation item={item} itemRef={itemRef} total={evaluation?.total_samples} />
            <Actions item={item} itemRef={itemRef} />
            {item.session_id && (
              <ButtonLink
                to="/o/$org/w/$workspace/sessions/$sessionId"
                params={{ ...where, sessionId: item.session_id }}
                size="xs"
                variant="default"
              >
                Session
              </ButtonLink>
            )}
            <CopyAs path={path} code={`await drydock.evaluationItems.get(${JSON.stringify(itemRef)})`} />
          </Group>
        </Group>
      </Box>
      <Alert
        color={itemColor(item.item_status)}
        variant="outline"
        role="status"
        aria-label="Result"
        styles={{ root: { borderLeftWidth: 4 } }}
      >
        <Text fw={600} className="user-text">
          {explain(item, readVerification(task))}
        </Text>
      </Alert>
      {item.contaminated && <Contamination source={item.contaminated_by} />}
      <Paper withBorder p="md">
        <Facts item={item} task={task} />
      </Paper>
    </Stack>
  );
}

/** A task or row on which the model or capability was trained or optimized cannot measure it. */
const Contamination = ({ source }: { readonly source: ContaminationSource | null }) => (
  <Alert color="orange" variant="outline" role="note" aria-label="Contamination" p="xs">
    <Text size="sm" className="user-text">
      This task or row has shaped the model or capability under test, so it cannot measure it.
      {source && (
        <>
          {' '}
          Used by {kindLabelOf(source).toLowerCase()}{' '}
          <NodeLink node={source} underline="always">
            {titleOf(source)}
          </NodeLink>
          .
        </>
      )}
    </Text>
  </Alert>
);

interface BreadcrumbsProps {
  readonly evaluationId: string;
  readonly evaluationName: string | undefined;
}

function Breadcrumbs({ evaluationId, evaluationName }: BreadcrumbsProps) {
  const where = useWhere();
  return (
    <Group gap={6}>
      <AnchorLink to="/o/$org/w/$workspace/evaluations" params={where} size="xs">
        Evaluations
      </AnchorLink>
      <Text size="xs" c="dimmed" aria-hidden>
        /
      </Text>
      <AnchorLink
        to="/o/$org/w/$workspace/evaluations/$evaluationId"
        params={{ ...where, evaluationId }}
        size="xs"
        className="user-text"
      >
        {evaluationName ?? 'Evaluation'}
      </AnchorLink>
    </Group>
  );
}

function Facts({ item, task }: { readonly item: EvaluationItem; readonly task: TaskDetail | undefined }) {
  const { usage, answer } = item;
  const instruction = task?.manifest['instruction'];
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 3, md: 6 }} spacing="sm">
        <Figure label="Score">{formatScore(item.score)}</Figure>
        <Figure label="Stop reason">{item.stop_reason?.replaceAll('_', ' ') ?? '–'}</Figure>
        <Figure label="Turns">{item.turn_count}</Figure>
        <Figure
          label="Tokens"
          hint={
            usage.cache_read_input_tokens > 0
              ? `${formatCompact(usage.cache_read_input_tokens)} cached`
              : undefined
          }
        >
          {formatCount(usage.input_tokens)} in, {formatCount(usage.output_tokens)} out
        </Figure>
        <Figure label="Cost">{formatUsd(usage.cost_usd)}</Figure>
        <Figure label="Duration">{formatDuration(item.duration_ms)}</Figure>
      </SimpleGrid>
      <Box>
        <Text size="xs" c="dimmed">
          Answer
        </Text>
        {answer === null ? (
          <Text size="sm" c="dimmed">
            {hasItemEnded(item.item_status) ? 'None' : 'None yet'}
          </Text>
        ) : (
          <Spoiler maxHeight={72} showLabel="Show the whole answer" hideLabel="Show less">
            <Text size="sm" ff="monospace" className="user-text" aria-label="Answer">
              {answer}
            </Text>
          </Spoiler>
        )}
      </Box>
      {typeof instruction === 'string' && (
        <Box component="details">
          <Text component="summary" size="xs" c="dimmed" style={{ cursor: 'pointer' }}>
            Task instruction
          </Text>
          <Text size="sm" className="user-text" mt={4}>
            {instruction}
          </Text>
        </Box>
      )}
    </Stack>
  );
}

function Actions({ item, itemRef }: { readonly item: EvaluationItem; readonly itemRef: OneItem }) {
  const queries = useQueryClient();
  const accept = (changed: EvaluationItem) => {
    patchItem(queries, itemRef.evaluation_id, changed.id, changed);
    void queries.invalidateQueries({ queryKey: ['evaluation', itemRef.evaluation_id] });
  };
  const retry = useAction(() => drydock.evaluationItems.retry(itemRef), accept);
  const cancel = useAction(() => drydock.evaluationItems.cancel(itemRef), accept);
  if (hasItemEnded(item.item_status))
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRefresh size={14} />}
        loading={retry.isPending}
        onClick={() => retry.mutate(undefined)}
      >
        Retry
      </Button>
    );
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconX size={14} />}
      loading={cancel.isPending || cancel.isSuccess}
      onClick={() => cancel.mutate(undefined)}
    >
      Cancel
    </Button>
  );
}

interface SampleNavigationProps {
  readonly item: EvaluationItem;
  readonly itemRef: OneItem;
  readonly total: number | undefined;
}

/** Buttons for the previous and the next sample, which the keys k and j open too. */
function SampleNavigation({ item: { position }, itemRef, total }: SampleNavigationProps) {
  const where = useWhere();
  const navigate = useNavigate();
  const { tab } = route.useSearch();
  const previous = useItemAt(itemRef, position - 1, position > 0);
  const next = useItemAt(itemRef, position + 1, total !== undefined && position + 1 < total);
  const open = (itemId: string | undefined) => {
    if (itemId !== undefined)
      void navigate({
        to: '/o/$org/w/$workspace/evaluations/$evaluationId/samples/$itemId',
        params: { ...where, evaluationId: itemRef.evaluation_id, itemId },
        search: { tab },
      });
  };
  useHotkeys([
    ['k', () => open(previous)],
    ['j', () => open(next)],
  ]);
  return (
    <Button.Group>
      <StepButton label="Previous sample" shortcut="k" itemId={previous} onOpen={open}>
        <IconChevronLeft size={14} />
      </StepButton>
      <Button.GroupSection size="xs" variant="default">
        {position + 1}
        {total !== undefined && ` of ${formatCount(total)}`}
      </Button.GroupSection>
      <StepButton label="Next sample" shortcut="j" itemId={next} onOpen={open}>
        <IconChevronRight size={14} />
      </StepButton>
    </Button.Group>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly shortcut: string;
  /** The sample that is opened; the button is disabled without one. */
  readonly itemId: string | undefined;
  readonly onOpen: (itemId: string | undefined) => void;
  readonly children: ReactNode;
}

function StepButton({ label, shortcut, itemId, onOpen, children }: StepButtonProps) {
  return (
    <Tooltip
      label={
        <>
          Key <Kbd size="xs">{shortcut}</Kbd>
        </>
      }
    >
      <Button
        size="xs"
        variant="default"
        px={8}
        aria-label={label}
        disabled={itemId === undefined}
        onClick={() => onOpen(itemId)}
      >
        {children}
      </Button>
    </Tooltip>
  );
}

/** @returns the ID of the sample at a position. Positions start at 0 without gaps and pages at 1, so a page of one sample is a position. */
function useItemAt(itemRef: OneItem, position: number, exists: boolean): string | undefined {
  const filters = { page: position + 1, page_size: 1, sort_by: 'position', sort_dir: 'asc' } as const;
  const { data } = useQuery({
    queryKey: ['evaluation', itemRef.evaluation_id, 'position', position],
    queryFn: async ({ signal }) => drydock.evaluationItems.list(itemRef, filters, { signal }),
    enabled: exists,
    staleTime: Infinity,
  });
  return exists ? data?.items[0]?.id : undefined;
}
