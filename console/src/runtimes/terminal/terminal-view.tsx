/** A terminal emulator, attached to a terminal of the sandbox. The address names it, so that a reload attaches to it again. */
import '@xterm/xterm/css/xterm.css';
import type { OneRuntime } from '@drydock/sdk';
import { Alert, Button, Group, Kbd, Switch, Text } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { toProblem } from '../../api/problem.ts';
import styles from '../runtimes.module.css';
import { type TerminalState, useTerminal } from './use-terminal.ts';

interface TerminalViewProps {
  readonly target: OneRuntime;
  /** The terminal that was shown before. */
  readonly terminalId: string | undefined;
  readonly onAttached: (terminalId: string) => void;
}

export function TerminalView({ target, terminalId, onAttached }: TerminalViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const exit = useRef<HTMLButtonElement>(null);
  const hint = useId();
  const [isReadAloud, setReadAloud] = useState(false);
  const terminal = useTerminal({
    target,
    terminalId,
    onAttached,
    box,
    hint,
    isReadAloud,
    onLeave: () => exit.current?.focus(),
  });
  const { state } = terminal;
  return (
    <>
      <Group justify="space-between" mb="xs" gap="xs">
        <Text size="xs" c="dimmed" id={hint}>
          Tab is typed into the terminal. <Kbd size="xs">Shift</Kbd> + <Kbd size="xs">F6</Kbd> leaves it.{' '}
          <Kbd size="xs">Ctrl</Kbd> + <Kbd size="xs">Shift</Kbd> + <Kbd size="xs">C</Kbd> copies the
          selection, with <Kbd size="xs">V</Kbd> it pastes.
        </Text>
        <Text size="xs" role="status">
          {STATE_WORDS[state.kind]}
        </Text>
      </Group>
      <div ref={box} className={styles['terminal']} data-state={state.kind} />
      <Group mt="xs" gap="xs">
        <Button ref={exit} size="xs" variant="default" onClick={() => void terminal.copy()}>
          Copy the selection
        </Button>
        <Button size="xs" variant="default" onClick={() => void terminal.paste()}>
          Paste
        </Button>
        <Button size="xs" variant="default" onClick={() => terminal.reopen()}>
          New terminal
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={state.kind !== 'attached'}
          onClick={() => terminal.hangUp()}
        >
          End the terminal
        </Button>
        <Switch
          size="xs"
          label="Read output aloud to screen readers"
          checked={isReadAloud}
          onChange={({ currentTarget: { checked } }) => setReadAloud(checked)}
        />
      </Group>
      <Notice state={state} onReopen={terminal.reopen} onAttach={terminal.attach} />
      <Text size="xs" c="dimmed" mt="xs">
        A terminal that no page shows goes on for 10 minutes. Open this address again within that time to
        continue in it.
      </Text>
    </>
  );
}

const STATE_WORDS: Readonly<Record<TerminalState['kind'], string>> = {
  connecting: 'Connecting …',
  attached: 'Connected',
  ended: 'Ended',
  taken: 'Shown elsewhere',
  failed: 'Disconnected',
};

interface NoticeProps {
  readonly state: TerminalState;
  readonly onReopen: () => void;
  readonly onAttach: () => void;
}

/** Says why nothing can be typed any more, and what to do. */
function Notice({ state, onReopen, onAttach }: NoticeProps) {
  if (state.kind === 'ended')
    return (
      <Alert
        variant="outline"
        color="gray"
        mt="xs"
        role="status"
        title={`The program has ended with ${state.code}`}
      >
        <Button size="xs" onClick={onReopen}>
          Open a new terminal
        </Button>
      </Alert>
    );
  if (state.kind === 'taken')
    return (
      <Alert variant="outline" color="yellow" mt="xs" role="status" title="The terminal is shown elsewhere">
        <Text size="sm" mb="xs">
          Another page has attached to this terminal. Only one can at a time.
        </Text>
        <Button size="xs" onClick={onAttach}>
          Continue it here
        </Button>
      </Alert>
    );
  if (state.kind !== 'failed') return null;
  return (
    <Alert variant="outline" color="red" mt="xs" role="alert" title="The terminal cannot be reached">
      <Text size="sm" mb="xs" className="user-text">
        {toProblem(state.error).detail}
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={onAttach}>
          Try again
        </Button>
        <Button size="xs" variant="default" onClick={onReopen}>
          Open a new terminal
        </Button>
      </Group>
    </Alert>
  );
}
