/** How the work of the agent was verified: what ran, how it ended, and what it wrote. */
import type { EvaluationItem, TaskDetail } from '@drydock/sdk';
import { SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { formatDuration } from '../../components/format.ts';
import { LongText } from '../../components/long-text.tsx';
import { Figure } from '../figures.tsx';
import { readVerification } from './verdict.ts';

interface VerificationTabProps {
  readonly item: EvaluationItem;
  readonly org: string;
  readonly task: TaskDetail | undefined;
}

const METHODS: Readonly<Record<string, string>> = {
  script: 'A script of the task runs in a second sandbox. Exit code 0 means passed.',
  exact: 'The answer must be exactly the expected text',
  contains: 'The answer must contain the expected text',
  flag: 'The answer, or /workspace/flag.txt, must be the flag',
};

export function VerificationTab({ item, org, task }: VerificationTabProps) {
  const { verification: result, metrics, task_name } = item;
  const verification = readVerification(task);
  if (task_name === null)
    return (
      <Text size="sm">
        Samples of a dataset have no verification. Their scorers decide: see the tab Scores.
      </Text>
    );
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label="Method" hint={verification && METHODS[verification.method]}>
          {verification?.method ?? 'Unknown: the task was deleted or is not visible to you'}
        </Figure>
        {result && (
          <>
            <Figure label="Exit code">{result.exit_code ?? 'none: it was stopped'}</Figure>
            <Figure label="Duration">{formatDuration(result.duration_ms)}</Figure>
          </>
        )}
        {verification?.expected !== undefined && <Figure label="Expected">{verification.expected}</Figure>}
      </SimpleGrid>
      {item.error_kind === 'verifier' && (
        <Text size="sm" className="user-text">
          {item.error}
        </Text>
      )}
      {!result && verification?.method === 'script' && (
        <Text size="sm">The verification has not run yet.</Text>
      )}
      {result && <Output title="Standard output" text={result.stdout} />}
      {result && <Output title="Standard error" text={result.stderr} />}
      {metrics && <Output title="Reported metrics" text={JSON.stringify(metrics, null, 2)} />}
      {task && verification?.script && (
        <Output
          title={`Command that downloads ${verification.script}`}
          text={`curl -L -H "Authorization: Bearer $DRYDOCK_API_KEY" '${location.origin}/api/v1/org/${org}/tasks/${task.name.replace(`${org}/`, '')}/${task.version}/files/${verification.script}'`}
        />
      )}
    </Stack>
  );
}

function Output({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <Title order={2} size="h6" mb={4}>
        {title}
      </Title>
      {text === '' ? (
        <Text size="sm" c="dimmed">
          Empty
        </Text>
      ) : (
        <LongText text={text} fileName={`${title.toLowerCase()}.txt`} label={title} />
      )}
    </div>
  );
}
