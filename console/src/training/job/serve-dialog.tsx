/** Serves a published version beside the server, and shows how to call it. */
import type { TrainingCheckpointsResponse } from '@drydock/sdk';
import { Alert, Button, Code, CopyButton, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { drydock } from '../../api/client.ts';
import { toProblem } from '../../api/problem.ts';
import { useAction } from '../../api/use-action.ts';
import { ButtonLink } from '../../components/links.tsx';
import { useWhere } from '../../frame/scope.ts';
import { servedModelsQuery } from '../queries.ts';

export type Publication = TrainingCheckpointsResponse['items'][number]['published'][number];

/** The model in calls and evaluations. */
export const toLocalId = ({ model, version }: Pick<Publication, 'model' | 'version'>): string =>
  `local/${model}@${version}`;

interface ServeDialogProps {
  readonly publication: Publication;
  readonly onClose: () => void;
}

export function ServeDialog({ publication, onClose }: ServeDialogProps) {
  const { org } = useWhere();
  const queries = useQueryClient();
  const { model, version } = publication;
  const { data: served } = useQuery(servedModelsQuery(org));
  const readAgain = () => queries.invalidateQueries(servedModelsQuery(org));
  // The dialog itself shows why it failed.
  const serve = useMutation({
    mutationFn: () => drydock.models.serve({ org, name: model, version }),
    onSuccess: readAgain,
  });
  const stop = useAction(() => drydock.models.stopServing({ org, name: model, version }), readAgain);
  const id = served?.find((one) => one.id === toLocalId(publication))?.id;
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <Text component="span" fw={600} className="user-text">
          Serve {model}@{version}
        </Text>
      }
      size="xl"
      centered
    >
      <Stack gap="sm">
        {id === undefined ? (
          <Text size="sm">
            The server starts the model on its own machine, with its base below it. It stops after 10 minutes
            without a call, and the next call starts it again.
          </Text>
        ) : (
          <HowToCall id={id} org={org} />
        )}
        {serve.isPending && (
          <Group gap="xs" role="status">
            <Loader size="xs" />
            <Text size="sm">Starting. Loading the weights takes from seconds to minutes.</Text>
          </Group>
        )}
        {serve.error && (
          <Alert color="red" variant="outline" role="alert" title="The model is not served">
            <Text size="sm" className="user-text">
              {toProblem(serve.error).detail}
            </Text>
          </Alert>
        )}
        <Actions id={id}>
          {id === undefined ? (
            <Button size="xs" loading={serve.isPending} data-autofocus onClick={() => serve.mutate()}>
              Start serving
            </Button>
          ) : (
            <Button
              size="xs"
              variant="default"
              loading={stop.isPending}
              onClick={() => stop.mutate(undefined)}
            >
              Stop serving
            </Button>
          )}
        </Actions>
      </Stack>
    </Modal>
  );
}

function Actions({ id, children }: { readonly id: string | undefined; readonly children: ReactNode }) {
  const where = useWhere();
  return (
    <Group justify="flex-end" gap="xs">
      {children}
      {id !== undefined && (
        <ButtonLink to="/o/$org/w/$workspace/evaluations/new" params={where} search={{ model: id }} size="xs">
          Evaluate it
        </ButtonLink>
      )}
    </Group>
  );
}

function HowToCall({ id, org }: { readonly id: string; readonly org: string }) {
  const snippet = `curl '${location.origin}/api/v1/org/${org}/inference/v1/chat/completions' \\
  -H "Authorization: Bearer $DRYDOCK_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"model": "${id}", "messages": [{"role": "user", "content": "Hello!"}]}'`;
  return (
    <>
      <Group gap="xs">
        <Text size="sm">It answers as</Text>
        <Code fz="sm">{id}</Code>
        <Copy label="Copy the id" text={id} />
      </Group>
      <Code block>{snippet}</Code>
      <Group>
        <Copy label="Copy the command" text={snippet} />
      </Group>
    </>
  );
}

const Copy = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <CopyButton value={text}>
    {({ copied, copy }) => (
      <Button size="compact-xs" variant="default" onClick={copy}>
        {copied ? 'Copied' : label}
      </Button>
    )}
  </CopyButton>
);
