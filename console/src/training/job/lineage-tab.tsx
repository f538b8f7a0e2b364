/** The lineage of a job, drawn from left to right. Its nodes are lists, so that it is read in the same order. */
import type { OneTrainingJob, TrainingArtifactsResponse, TrainingJobResponse } from '@drydock/sdk';
import { Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatCountOf } from '../../components/format.ts';
import { LayeredGraph } from '../../components/layered-graph.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { LineageLink } from '../../lineage/lineage-link.tsx';
import { artifactsQuery } from '../queries.ts';
import { type Lineage, type Node, toLineage } from './lineage.ts';

interface LineageTabProps {
  readonly job: TrainingJobResponse;
  readonly jobRef: OneTrainingJob;
}

export function LineageTab({ job, jobRef }: LineageTabProps) {
  const { data, error, refetch } = useQuery(artifactsQuery(jobRef));
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  const lineage = toLineage(job, data.artifacts);
  return (
    <Stack gap="xs">
      <LayeredGraph
        label="Lineage"
        columns={lineage.columns}
        edges={lineage.edges}
        renderTitle={(node) => <NodeTitle node={node} jobId={job.id} />}
      />
      <Text size="xs" c="dimmed">
        {describe(lineage)}
        {lineage.hidden > 0 && ` ${formatCountOf(lineage.hidden, 'earlier checkpoint')} not drawn.`}
      </Text>
      <PublishedLineage published={data.artifacts.published} />
    </Stack>
  );
}

/** The graph in words. */
function describe({ columns }: Lineage): string {
  const [inputs, , checkpoints, models] = columns.map(({ nodes }) => nodes);
  const list = (nodes: readonly Node[] = []) => nodes.map(({ title }) => title).join(', ');
  const made = inputs?.map(({ kind, title }) => `${kind.toLowerCase()} ${title}`).join(', ');
  return [
    `The job was made of ${made}.`,
    checkpoints?.length ? `It saved ${formatCountOf(checkpoints.length, 'checkpoint')}.` : '',
    models?.length ? `Published: ${list(models)}.` : 'No model version is published yet.',
  ]
    .filter(Boolean)
    .join(' ');
}

interface NodeTitleProps {
  readonly node: Node;
  readonly jobId: string;
}

function NodeTitle({ node: { title, target }, jobId }: NodeTitleProps) {
  const where = useWhere();
  if (!target) return title;
  return (
    <AnchorLink
      to="/o/$org/w/$workspace/training/$jobId"
      params={{ ...where, jobId: 'jobId' in target ? target.jobId : jobId }}
      search={'tab' in target ? { tab: target.tab } : {}}
      inherit
    >
      {title}
    </AnchorLink>
  );
}

/** The lineage of the registry, which goes on where this one ends. */
function PublishedLineage({
  published,
}: {
  readonly published: TrainingArtifactsResponse['artifacts']['published'];
}) {
  if (published.length === 0) return null;
  return (
    <Text size="xs">
      Whole lineage of{' '}
      {published.map(({ model, version }, index) => (
        <span key={`${model}@${version}`}>
          {index > 0 && ', '}
          <LineageLink kind="model" name={model} version={version} size="xs" underline="always">
            {model}@{version}
          </LineageLink>
        </span>
      ))}
    </Text>
  );
}
