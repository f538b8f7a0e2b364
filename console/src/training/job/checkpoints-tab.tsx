/** The checkpoints of a job: published as model versions, served, evaluated. */
import type { OneTrainingJob, TrainingCheckpointsResponse, TrainingJobResponse } from '@drydock/sdk';
import { Badge, Button, CopyButton, Group, Loader, Stack, Table, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { formatBytes, formatCount, formatTime } from '../../components/format.ts';
import { ButtonLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { useCurves } from '../curves/series.ts';
import { formatValue } from '../figures.tsx';
import { checkpointsQuery, LOSS, servedModelsQuery } from '../queries.ts';
import { hasEnded } from '../states.ts';
import styles from '../training.module.css';
import { PublishDialog } from './publish-dialog.tsx';
import { type Publication, ServeDialog, toLocalId } from './serve-dialog.tsx';

type Checkpoint = TrainingCheckpointsResponse['items'][number];

interface CheckpointsTabProps {
  readonly job: TrainingJobResponse;
  readonly jobRef: OneTrainingJob;
}

export function CheckpointsTab({ job, jobRef }: CheckpointsTabProps) {
  const { data, error, refetch } = useQuery(checkpointsQuery(jobRef));
  const evalLosses = useCurves(jobRef)?.['eval/loss'] ?? [];
  const [published, setPublished] = useState<number>();
  const [served, setServed] = useState<Publication>();
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loader size="sm" aria-label="Loading" />;
  if (data.items.length === 0)
    return (
      <EmptyState title={hasEnded(job.status) ? 'No checkpoints' : 'No checkpoints yet'}>
        {hasEnded(job.status)
          ? 'The job ended before its first checkpoint was saved.'
          : 'The trainer saves one at the interval of the job, and one at its end.'}
      </EmptyState>
    );
  return (
    <>
      <Table.ScrollContainer minWidth={900} type="native">
        <Table verticalSpacing={6} aria-label="Checkpoints" className={styles['checkpoints']}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">Step</Table.Th>
              <Table.Th ta="right">Train loss</Table.Th>
              <Table.Th ta="right">Eval loss</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
              <Table.Th>Digest</Table.Th>
              <Table.Th>Saved</Table.Th>
              <Table.Th>Published versions</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.items.toReversed().map((checkpoint) => (
              <CheckpointRow
                key={checkpoint.step}
                checkpoint={checkpoint}
                evalLoss={evalLosses.find(({ step }) => step === checkpoint.step)?.value}
                onPublish={() => setPublished(checkpoint.step)}
                onServe={setServed}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {published !== undefined && (
        <PublishDialog job={job} step={published} onClose={() => setPublished(undefined)} />
      )}
      {served && <ServeDialog publication={served} onClose={() => setServed(undefined)} />}
    </>
  );
}

interface CheckpointRowProps {
  readonly checkpoint: Checkpoint;
  readonly evalLoss: number | undefined;
  readonly onPublish: () => void;
  readonly onServe: (publication: Publication) => void;
}

function CheckpointRow({ checkpoint, evalLoss, onPublish, onServe }: CheckpointRowProps) {
  const { step, metrics, size_bytes, digest, servable, published, created_at } = checkpoint;
  return (
    <Table.Tr>
      <Table.Td ta="right" fw={600}>
        {formatCount(step)}
      </Table.Td>
      <Table.Td ta="right" className={styles['number']}>
        {formatValue(metrics[LOSS])}
      </Table.Td>
      <Table.Td ta="right" className={styles['number']}>
        {formatValue(metrics['eval/loss'] ?? evalLoss)}
      </Table.Td>
      <Table.Td ta="right" className={styles['number']}>
        {formatBytes(size_bytes)}
      </Table.Td>
      <Table.Td>
        <Digest digest={digest} />
      </Table.Td>
      <Table.Td>
        <time dateTime={created_at}>{formatTime(created_at)}</time>
      </Table.Td>
      <Table.Td>
        <Stack gap={6}>
          {published.length === 0 && (
            <Text size="sm" c="dimmed">
              none
            </Text>
          )}
          {published.map((publication) => (
            <PublishedVersion
              key={`${publication.model}@${publication.version}`}
              publication={publication}
              onServe={() => onServe(publication)}
            />
          ))}
        </Stack>
      </Table.Td>
      <Table.Td ta="right">
        <Button
          size="compact-xs"
          variant="default"
          disabled={!servable}
          title={servable ? undefined : 'It holds no adapter'}
          aria-label={`Publish step ${step}`}
          onClick={onPublish}
        >
          Publish
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

/** The beginning of a digest, which copies all of it. */
function Digest({ digest }: { readonly digest: string }) {
  const short = digest.replace(/^sha256:/, '').slice(0, 12);
  return (
    <CopyButton value={digest}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy the whole digest'}>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            c="inherit"
            ff="monospace"
            fw={400}
            px={0}
            aria-label={`${short}, copy the whole digest`}
            onClick={copy}
          >
            {short}
          </Button>
        </Tooltip>
      )}
    </CopyButton>
  );
}

interface PublishedVersionProps {
  readonly publication: Publication;
  readonly onServe: () => void;
}

function PublishedVersion({ publication, onServe }: PublishedVersionProps) {
  const where = useWhere();
  const { data: servedModels = [] } = useQuery(servedModelsQuery(where.org));
  const { model, version, is_final } = publication;
  const name = `${model}@${version}`;
  const local = toLocalId(publication);
  const isServed = servedModels.some(({ id }) => id === local);
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Group gap={6}>
        <Text size="sm" fw={500} className="user-text">
          {name}
        </Text>
        {is_final && (
          <Badge size="sm" tt="none" miw="max-content">
            Result
          </Badge>
        )}
        {isServed && (
          <Badge size="sm" tt="none" variant="default" miw="max-content">
            Served
          </Badge>
        )}
      </Group>
      <Group gap={6} wrap="nowrap">
        <Button size="compact-xs" variant="default" aria-label={`Serve ${name}`} onClick={onServe}>
          {isServed ? 'Call it' : 'Serve'}
        </Button>
        <ButtonLink
          to="/o/$org/w/$workspace/evaluations/new"
          params={where}
          search={{ model: local }}
          size="compact-xs"
          variant="default"
          aria-label={`Evaluate ${name}`}
          title={isServed ? undefined : 'Serve it first: the evaluation calls it'}
        >
          Evaluate
        </ButtonLink>
      </Group>
    </Group>
  );
}
