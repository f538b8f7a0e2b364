/** The evidence of a trial: what was wanted, what was sent, what came back, and how it was judged. */
import type { AirtTrial } from '@drydock/sdk';
import { Alert, Badge, Group, Stack, Text } from '@mantine/core';
import { FactList } from '../../components/fact-list.tsx';
import { formatDuration, formatScore } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { SidePanel } from '../../components/list/side-panel.tsx';
import { LongText } from '../../components/long-text.tsx';
import { useWhere } from '../../frame/scope.ts';
import styles from '../red-team.module.css';
import { toWords } from '../states.ts';

interface EvidenceProps {
  readonly goal: string;
  readonly candidate: string | null;
  readonly transformedPrompt: string | null;
  readonly response: string | null;
  readonly reasoning: string | null;
}

/** Goal → candidate → transformed prompt → response → reasoning of the judge. */
export function Evidence({ goal, candidate, transformedPrompt, response, reasoning }: EvidenceProps) {
  const isTransformed = transformedPrompt !== candidate && Boolean(transformedPrompt);
  const steps = [
    ['Goal', goal, 'goal.txt'],
    [isTransformed ? 'Candidate' : 'Prompt', candidate || transformedPrompt, 'candidate.txt'],
    ...(isTransformed ? [['Transformed prompt', transformedPrompt, 'prompt.txt'] as const] : []),
    ['Response', response, 'response.txt'],
    ['Reasoning of the judge', reasoning, 'reasoning.txt'],
  ] as const;
  return (
    <ol className={styles['evidence']}>
      {steps.map(([label, text, fileName]) => (
        <li key={label}>
          <Text size="xs" fw={600} mb={2}>
            {label}
          </Text>
          {text ? (
            <LongText text={text} fileName={fileName} label={label} />
          ) : (
            <Text size="sm" c="dimmed">
              none
            </Text>
          )}
        </li>
      ))}
    </ol>
  );
}

interface TrialPanelProps {
  readonly trial: AirtTrial;
  readonly onClose: () => void;
}

/** One trial beside the list of trials. */
export function TrialPanel({ trial, onClose }: TrialPanelProps) {
  const where = useWhere();
  const { error, score, is_jailbreak, transforms_applied, session_id } = trial;
  return (
    <SidePanel title={`Trial ${trial.trial_index + 1} of ${toWords(trial.attack_name)}`} onClose={onClose}>
      <Stack gap="sm">
        <Group gap="xs">
          <Badge variant="dot" tt="none" fw={500} radius="sm" color={is_jailbreak ? 'red' : 'teal'}>
            {error !== null ? 'Error' : is_jailbreak ? 'Jailbreak' : 'Held'}
          </Badge>
        </Group>
        {error !== null && (
          <Alert color="red" variant="outline" p="xs">
            <Text size="xs" className="user-text">
              {error} It counts in no rate.
            </Text>
          </Alert>
        )}
        <FactList
          facts={[
            ['Score', error === null ? formatScore(score) : null],
            ['Rank in its finding', error === null ? trial.rank : null],
            ['Transforms', transforms_applied.map(toWords).join(' → ')],
            ['Time', formatDuration(trial.execution_time_s * 1_000)],
            [
              'Session',
              session_id && (
                <AnchorLink
                  to="/o/$org/w/$workspace/sessions/$sessionId"
                  params={{ ...where, sessionId: session_id }}
                  size="sm"
                >
                  Read what the agent did
                </AnchorLink>
              ),
            ],
          ]}
        />
        <Evidence
          goal={trial.goal}
          candidate={trial.candidate}
          transformedPrompt={trial.transformed_prompt}
          response={trial.response}
          reasoning={trial.judge_reasoning}
        />
        <Actions actions={trial.actions} />
      </Stack>
    </SidePanel>
  );
}

function Actions({ actions }: Pick<AirtTrial, 'actions'>) {
  if (!actions) return null;
  const lists = [
    ['Commands', actions.commands],
    ['Network', actions.egress],
    ['Files changed', actions.files],
  ] as const;
  return lists
    .filter(([, lines]) => lines.length > 0)
    .map(([label, lines]) => (
      <div key={label}>
        <Text size="xs" fw={600} mb={2}>
          {label}
        </Text>
        <LongText text={lines.join('\n')} fileName={`${label.toLowerCase()}.txt`} label={label} />
      </div>
    ));
}
