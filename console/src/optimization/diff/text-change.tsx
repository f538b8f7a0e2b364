/** The texts of a candidate or a proposal: what changed, and the reflections that caused it. */
import type { OptimizationReflection } from '@drydock/sdk';
import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { formatUsd } from '../../components/format.ts';
import { AnchorLink } from '../../components/links.tsx';
import { LongText } from '../../components/long-text.tsx';
import { useWhere } from '../../frame/scope.ts';
import { Fold } from '../../sessions/conversation/fold.tsx';
import { DiffView } from './diff-view.tsx';

type Texts = Readonly<Record<string, string>>;

interface TextChangeProps {
  /** The texts before, or undefined where there is nothing to compare with. */
  readonly before: Texts | undefined;
  readonly after: Texts;
  readonly beforeName: string;
  readonly component: string | undefined;
  readonly onComponentChange: (component: string) => void;
}

/** The text of one component, as a comparison or as a whole. */
export function TextChange(props: TextChangeProps) {
  const { before, after, beforeName, component, onComponentChange } = props;
  const [view, setView] = useState<'diff' | 'text'>('diff');
  const names = Object.keys(after);
  const changed = names.filter((name) => before?.[name] !== after[name]);
  const current = names.find((name) => name === component) ?? changed[0] ?? names[0];
  if (current === undefined)
    return (
      <Text size="sm" c="dimmed">
        There is no text.
      </Text>
    );
  const text = after[current] ?? '';
  const isDiff = before !== undefined && view === 'diff';
  return (
    <Stack gap={6}>
      <Group gap="xs">
        {names.length > 1 ? (
          <Select
            size="xs"
            w={260}
            aria-label="Component"
            allowDeselect={false}
            data={names.map((name) => ({
              value: name,
              label: before && !changed.includes(name) ? `${name} (same)` : name,
            }))}
            value={current}
            onChange={(name) => name !== null && onComponentChange(name)}
          />
        ) : (
          <Text size="sm" fw={600}>
            {current}
          </Text>
        )}
        {before && (
          <SegmentedControl
            size="xs"
            aria-label="View"
            transitionDuration={0}
            data={[
              { value: 'diff', label: `Changes to ${beforeName}` },
              { value: 'text', label: 'Whole text' },
            ]}
            value={view}
            onChange={(next) => setView(next === 'text' ? 'text' : 'diff')}
          />
        )}
      </Group>
      {isDiff ? (
        <DiffView before={before[current] ?? ''} after={text} label={`Changes of ${current}`} />
      ) : (
        <LongText text={text} fileName={`${current.replaceAll('/', '-')}.txt`} label={`Text of ${current}`} />
      )}
    </Stack>
  );
}

/** What the reflection model was asked, and what it answered. */
export function Reflections({ reflections }: { readonly reflections: readonly OptimizationReflection[] }) {
  const where = useWhere();
  return reflections.map(({ component, prompt, response, error, session_id, cost_usd }) => (
    <Stack key={component} gap={6} component="section" aria-label={`Reflection on ${component}`}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600}>
          Reflection on {component}
        </Text>
        <Group gap="sm">
          <Text size="xs" c="dimmed">
            {formatUsd(cost_usd)}
          </Text>
          {session_id && (
            <AnchorLink
              to="/o/$org/w/$workspace/sessions/$sessionId"
              params={{ ...where, sessionId: session_id }}
              size="xs"
            >
              Session
            </AnchorLink>
          )}
        </Group>
      </Group>
      {error !== null && (
        <Text size="sm" className="user-text">
          The model failed: {error}
        </Text>
      )}
      <Fold title="Prompt" text="">
        <LongText text={prompt} fileName="prompt.txt" label={`Prompt of ${component}`} />
      </Fold>
      {response !== null && (
        <Fold title="Response" text="" isInitiallyOpen>
          <LongText text={response} fileName="response.txt" label={`Response on ${component}`} />
        </Fold>
      )}
    </Stack>
  ));
}
