/** The first steps in a new workspace. The first one needs no key of any provider, and works with one click. */
import type { InWorkspace } from '@drydock/sdk';
import { Box, Code, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { drydock } from '../api/client.ts';
import { evaluationListQuery, modelsQuery } from '../evaluations/queries.ts';
import { RunSampleButton } from '../evaluations/run-sample-button.tsx';
import { SAMPLE_TASKS } from '../evaluations/sample-tasks.ts';
import { toTraceCommand } from '../traces/send-traces.ts';

interface Step {
  readonly title: string;
  /** undefined while it is loading. */
  readonly isDone: boolean | undefined;
  readonly text: string;
  readonly command?: string;
  readonly action?: ReactNode;
}

export function Checklist({ where }: { readonly where: InWorkspace }) {
  const steps = useSteps(where);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (steps.some(({ isDone }) => isDone === undefined) || done === steps.length) return null;
  return (
    <Paper component="section" withBorder p="md" aria-label="First steps">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          First steps
        </Title>
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {done} of {steps.length} done
          </Text>
          <Progress value={(100 * done) / steps.length} w={120} aria-label="First steps done" />
        </Group>
      </Group>
      <Stack gap="xs">
        {steps.map((step) => (
          <StepRow key={step.title} step={step} />
        ))}
      </Stack>
    </Paper>
  );
}

function StepRow({ step: { title, isDone, text, command, action } }: { readonly step: Step }) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon
        size={22}
        radius="xl"
        variant={isDone ? 'filled' : 'default'}
        color="teal.8"
        aria-label={isDone ? 'Done' : 'To do'}
        role="img"
      >
        {isDone ? <IconCheck size={14} /> : <IconCircleDashed size={14} />}
      </ThemeIcon>
      <Box flex={1} miw={0}>
        <Group justify="space-between" gap="xs">
          <div>
            <Text size="sm" fw={500}>
              {title}
            </Text>
            <Text size="xs" c="dimmed">
              {text}
            </Text>
          </div>
          {action}
        </Group>
        {command && !isDone && (
          <details>
            <Text component="summary" size="xs" style={{ cursor: 'pointer' }}>
              Command
            </Text>
            <Code block mt={4} tabIndex={0} aria-label={`Command: ${title}`}>
              {command}
            </Code>
          </details>
        )}
      </Box>
    </Group>
  );
}

/** Each step costs one small request. A step whose data this user may not read counts as not done. */
function useSteps(where: InWorkspace): readonly Step[] {
  const { org } = where;
  const evaluations = useQuery(evaluationListQuery(where, { page_size: 1 }));
  const tasks = useQuery({
    queryKey: ['checklist', org, 'tasks'],
    queryFn: async ({ signal }) =>
      drydock.tasks.list({ org }, { limit: SAMPLE_TASKS.length + 1 }, { signal }),
  });
  const models = useQuery(modelsQuery(org));
  const traces = useQuery({
    queryKey: ['checklist', where, 'traces'],
    queryFn: async ({ signal }) => drydock.traces.list(where, { limit: 1 }, { signal }),
  });
  const keys = useQuery({
    queryKey: ['checklist', 'keys'],
    queryFn: async ({ signal }) => drydock.apiKeys.list({ signal }),
  });
  const hasRun = read(evaluations, ({ total }) => total > 0);
  const samples = new Set(SAMPLE_TASKS.map(({ name }) => `${org}/${name}`));
  return [
    {
      title: 'Run the sample evaluation',
      text: 'Five small tasks for a simulated model that makes mistakes. It needs no API key and takes seconds.',
      isDone: hasRun,
      action: <RunSampleButton where={where} variant={hasRun ? 'default' : 'filled'} />,
    },
    {
      title: 'Publish your own task',
      text: 'A task is an instruction, and a script that verifies what the agent did.',
      isDone: read(tasks, (list) => list.tasks.some(({ name }) => !samples.has(name))),
      command: commands.task(org),
    },
    {
      title: 'Add a model provider',
      text: 'Any service with an OpenAI or Anthropic API. Its key stays on this server.',
      isDone: read(models, ({ data }) => data.some(({ simulated }) => !simulated)),
      command: commands.provider(org),
    },
    {
      title: 'Send a trace',
      text: 'From any OpenTelemetry SDK.',
      isDone: read(traces, ({ total }) => total > 0),
      command: toTraceCommand(where),
    },
    {
      title: 'Create an API key',
      text: 'Your own programs sign in with it. Limit it to what they need.',
      isDone: read(keys, (list) => list.length > 0),
      command: commands.key(),
    },
  ];
}

const read = <Data,>({ data, isError }: UseQueryResult<Data>, isDone: (data: Data) => boolean) =>
  data === undefined ? (isError ? false : undefined) : isDone(data);

const AUTHORIZATION = '-H "Authorization: Bearer $DRYDOCK_API_KEY"';
const JSON_BODY = `-H 'Content-Type: application/json'`;

const commands = {
  task: (org: string) => `mkdir -p hello-file && cat > hello-file/task.yaml <<'END'
name: hello-file
version: 1.0.0
instruction: Write the word hello into the file /workspace/hello.txt.
verification: {method: script, script: verify.sh}
END
echo 'grep -qx hello /workspace/hello.txt' > hello-file/verify.sh
tar czf - -C hello-file . | curl ${AUTHORIZATION} -H 'Content-Type: application/gzip' \\
  -T - '${location.origin}/api/v1/org/${org}/tasks/hello-file/1.0.0'`,
  provider: (org: string) => `curl -X PUT '${location.origin}/api/v1/org/${org}/inference/providers' \\
  ${AUTHORIZATION} ${JSON_BODY} \\
  -d '{"providers": [{"name": "openai", "kind": "openai_compatible", "base_url": "https://api.openai.com/v1",
       "api_key": "sk-…", "models": [{"name": "gpt-4o-mini", "input_price": 0.15, "output_price": 0.6}]}]}'`,
  key: () =>
    `curl '${location.origin}/api/v1/user/api-keys' ${AUTHORIZATION} ${JSON_BODY} -d '{"name": "ci"}'`,
};
