/** The buttons that operate a runtime. A button that cannot be used says why. */
import type { Runtime } from '@drydock/sdk';
import { Button, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import {
  IconClockPlus,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconRestore,
  IconTrash,
} from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { drydock } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { Confirm } from '../components/confirm.tsx';
import { useWhere } from '../frame/scope.ts';
import { describeState } from './figures.tsx';
import { useReadRuntimesAgain } from './queries.ts';

const EXTEND_SECONDS = 3_600;

type Action = 'start' | 'pause' | 'resume' | 'extend' | 'stop' | 'reset' | 'delete';

const NOT_STARTED = 'The runtime is not running. Start it first.';
const IS_PAUSED = 'The runtime is paused. Resume it first.';
const IS_BUSY = 'Another action is still in progress.';

const STATE_REASONS: Readonly<Record<Action, Partial<Record<Runtime['status'], string>>>> = {
  start: {
    running: 'The runtime is running already.',
    paused: 'The runtime is paused. Resume it, or reset it to begin anew.',
  },
  pause: { idle: NOT_STARTED, paused: 'The runtime is paused already.' },
  resume: { idle: NOT_STARTED, running: 'The runtime is running already.' },
  extend: { idle: NOT_STARTED, paused: IS_PAUSED },
  stop: { idle: 'The runtime has no sandbox that could be ended.' },
  reset: { idle: 'The runtime is idle: it has no sandbox to reset.' },
  delete: {},
};

/** @returns why an action is not possible, or undefined when it is */
function whyNot(action: Action, { owned_by_me, status, instance }: Runtime): string | undefined {
  if (!owned_by_me) return 'Only the owner of the runtime can do this.';
  if (action === 'pause' && status === 'running' && instance?.supports_pause === false)
    return `The provider “${instance.provider}” cannot pause a sandbox. Stop it instead: its disk is kept.`;
  return STATE_REASONS[action][status];
}

interface ActionSpec {
  readonly action: Action;
  readonly label: string;
  readonly icon: ReactNode;
  readonly isMain?: boolean;
  /** Asks before it is done. */
  readonly question?: { readonly title: string; readonly text: string; readonly refusal: string };
}

const toSpecs = ({ name }: Runtime): readonly ActionSpec[] => [
  { action: 'start', label: 'Start', icon: <IconPlayerPlay size={14} />, isMain: true },
  { action: 'pause', label: 'Pause', icon: <IconPlayerPause size={14} /> },
  { action: 'resume', label: 'Resume', icon: <IconRefresh size={14} />, isMain: true },
  { action: 'extend', label: 'Keep alive 1 h', icon: <IconClockPlus size={14} /> },
  {
    action: 'stop',
    label: 'Stop',
    icon: <IconPlayerStop size={14} />,
    question: {
      title: `Stop ${name}?`,
      text: 'Its sandbox ends with all processes and terminals. What is on its disk is kept for the next start.',
      refusal: 'Keep it',
    },
  },
  {
    action: 'reset',
    label: 'Reset',
    icon: <IconRestore size={14} />,
    question: {
      title: `Reset ${name}?`,
      text: 'Its sandbox ends, and everything on its disk is deleted. The next start begins with an empty /workspace.',
      refusal: 'Keep it',
    },
  },
  {
    action: 'delete',
    label: 'Delete',
    icon: <IconTrash size={14} />,
    question: {
      title: `Delete ${name}?`,
      text: 'The runtime is deleted with its configuration and its disk. Sessions that ran in it are kept.',
      refusal: 'Keep it',
    },
  },
];

interface RuntimeActionsProps {
  readonly runtime: Runtime;
  readonly onDeleted: () => Promise<void>;
}

export function RuntimeActions({ runtime, onDeleted }: RuntimeActionsProps) {
  const [requested, setRequested] = useState<ActionSpec>();
  const { step, action } = useRuntimeAction(runtime, async (done) => {
    setRequested(undefined);
    if (done === 'delete') await onDeleted();
  });
  const running = action.isPending ? action.variables : undefined;
  const begin = (spec: ActionSpec) => (spec.question ? setRequested(spec) : action.mutate(spec.action));
  return (
    <div>
      <Group gap="xs">
        {toSpecs(runtime).map((spec) => (
          <ActionButton
            key={spec.action}
            spec={spec}
            reason={
              whyNot(spec.action, runtime) ?? (running && running !== spec.action ? IS_BUSY : undefined)
            }
            isPending={running === spec.action}
            onClick={() => begin(spec)}
          />
        ))}
      </Group>
      <Text size="xs" c="dimmed" mt={6} role="status">
        {action.isPending ? (step ?? 'Working …') : describeState(runtime)}
      </Text>
      {requested?.question && (
        <Confirm
          isOpen
          title={requested.question.title}
          action={`${requested.label} the runtime`}
          refusal={requested.question.refusal}
          isPending={action.isPending}
          onConfirm={() => action.mutate(requested.action)}
          onClose={() => setRequested(undefined)}
        >
          {requested.question.text}
        </Confirm>
      )}
    </div>
  );
}

/** Runs an action, and tells its current step, as the server reports it. */
function useRuntimeAction(runtime: Runtime, onDone: (action: Action) => Promise<void>) {
  const where = useWhere();
  const readAgain = useReadRuntimesAgain();
  const [step, setStep] = useState<string>();
  const target = { ...where, runtime: runtime.key };
  const follow = async (steps: AsyncIterable<{ readonly type: string; readonly data: unknown }>) => {
    for await (const { type, data } of steps)
      if (type === 'progress') setStep((data as { readonly message: string }).message);
  };
  const run: Readonly<Record<Action, () => Promise<unknown>>> = {
    start: () => follow(drydock.runtimes.startLive(target)),
    pause: () => follow(drydock.runtimes.pauseLive(target)),
    resume: () => follow(drydock.runtimes.resumeLive(target)),
    reset: () => follow(drydock.runtimes.resetLive(target)),
    extend: () => drydock.runtimes.keepAlive(target, { extend_seconds: EXTEND_SECONDS }),
    stop: () =>
      drydock.sandboxes.kill({ org: where.org, sandbox_id: runtime.instance?.sandbox_id ?? runtime.id }),
    delete: () => drydock.runtimes.delete(target),
  };
  const action = useAction(
    async (requested: Action) => {
      setStep(undefined);
      try {
        await run[requested]();
      } finally {
        // A refused action shows that the state has changed in between.
        if (requested !== 'delete') await readAgain();
      }
      return requested;
    },
    async (done) => {
      await onDone(done);
      if (done === 'delete') await readAgain();
    },
  );
  return { step, action };
}

interface ActionButtonProps {
  readonly spec: ActionSpec;
  readonly reason: string | undefined;
  readonly isPending: boolean;
  readonly onClick: () => void;
}

/** A disabled button keeps the keyboard focus, so that its reason can be read without a mouse. */
function ActionButton({ spec, reason, isPending, onClick }: ActionButtonProps) {
  const id = useId();
  const isDisabled = reason !== undefined;
  return (
    <>
      <Tooltip
        label={reason}
        disabled={!isDisabled}
        multiline
        maw={320}
        events={{ hover: true, focus: true, touch: true }}
      >
        <Button
          size="xs"
          variant={spec.isMain && !isDisabled ? 'filled' : 'default'}
          leftSection={spec.icon}
          loading={isPending}
          data-disabled={isDisabled || undefined}
          aria-disabled={isDisabled || undefined}
          aria-describedby={isDisabled ? id : undefined}
          onClick={isDisabled || isPending ? undefined : onClick}
        >
          {spec.label}
        </Button>
      </Tooltip>
      {isDisabled && <VisuallyHidden id={id}>{reason}</VisuallyHidden>}
    </>
  );
}
