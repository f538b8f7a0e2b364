/** Connects a terminal emulator in the page to a terminal in a sandbox. */
import { isDrydockError, type OneRuntime, type Terminal } from '@drydock/sdk';
import { notifications } from '@mantine/notifications';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal as Emulator } from '@xterm/xterm';
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { drydock } from '../../api/client.ts';

export type TerminalState =
  | { readonly kind: 'connecting' | 'attached' | 'taken' }
  | { readonly kind: 'ended'; readonly code: number }
  | { readonly kind: 'failed'; readonly error: unknown };

const SCROLLBACK_LINES = 5_000;

interface TerminalOptions {
  readonly target: OneRuntime;
  /** Attached to first, if it still exists. */
  readonly terminalId: string | undefined;
  readonly onAttached: (terminalId: string) => void;
  readonly box: RefObject<HTMLElement | null>;
  /** The ID of the element that says how the keyboard leaves the terminal. */
  readonly hint: string;
  readonly isReadAloud: boolean;
  readonly onLeave: () => void;
}

/** One connection: the terminal to attach to, or undefined for a new one. */
interface Attempt {
  readonly number: number;
  readonly terminalId: string | undefined;
}

export function useTerminal(options: TerminalOptions) {
  const { target, box, hint, isReadAloud } = options;
  const [state, setState] = useState<TerminalState>({ kind: 'connecting' });
  const [attempt, setAttempt] = useState<Attempt>({ number: 0, terminalId: options.terminalId });
  const emulator = useRef<Emulator>(undefined);
  const terminal = useRef<Terminal>(undefined);
  const onAttached = useEffectEvent(options.onAttached);
  const onLeave = useEffectEvent(options.onLeave);
  const { org, workspace, runtime } = target;

  useEffect(() => {
    if (!box.current) return undefined;
    const left = new AbortController();
    const { xterm, resize } = openEmulator(box.current, () => onLeave());
    xterm.textarea?.setAttribute('aria-describedby', hint);
    emulator.current = xterm;
    // Opening the tab keeps the focus: arrow keys move on through the tabs.
    if (attempt.number > 0) xterm.focus();
    setState({ kind: 'connecting' });
    const connect = async () => {
      const opened = await openTerminal({ org, workspace, runtime }, attempt.terminalId, xterm, left.signal);
      terminal.current = opened;
      resize((columns, rows) => opened.resize(columns, rows));
      xterm.onData((text) => opened.write(text));
      xterm.onBinary((text) => opened.write(Uint8Array.from(text, (char) => char.charCodeAt(0))));
      setState({ kind: 'attached' });
      onAttached(opened.id);
      // The next bytes are asked for when these are shown, so that a fast program cannot fill the memory of the page.
      for await (const bytes of opened)
        await new Promise<void>((resolve) => xterm.write(bytes, () => resolve()));
      setState({ kind: 'ended', code: await opened.exit });
    };
    connect().catch((error: unknown) => {
      if (left.signal.aborted) return;
      setState(isTaken(error) ? { kind: 'taken' } : { kind: 'failed', error });
    });
    return () => {
      left.abort();
      terminal.current = undefined;
      xterm.dispose();
    };
  }, [box, hint, org, workspace, runtime, attempt]);

  useEffect(() => {
    if (emulator.current) emulator.current.options.screenReaderMode = isReadAloud;
  }, [isReadAloud, attempt]);

  const next = (terminalId: string | undefined) =>
    setAttempt(({ number }) => ({ number: number + 1, terminalId }));
  return {
    state,
    copy: () => copySelection(emulator.current),
    paste: () => pasteInto(emulator.current),
    hangUp: () => terminal.current?.hangUp(),
    /** Opens a new terminal. The previous one keeps running for a while. */
    reopen: () => next(undefined),
    /** Attaches to the same terminal again. */
    attach: () => next(terminal.current?.id ?? attempt.terminalId ?? options.terminalId),
  };
}

const isTaken = (error: unknown) =>
  isDrydockError(error) && error.type === 'conflict_error' && error.status === undefined;

/** Attaches to a terminal with everything that is kept of its output, or opens a new one when it does not exist any more. */
async function openTerminal(
  target: OneRuntime,
  terminalId: string | undefined,
  { cols: columns, rows }: Emulator,
  signal: AbortSignal,
): Promise<Terminal> {
  const size = { columns, rows, signal };
  if (terminalId === undefined) return drydock.runtimes.openTerminal(target, size);
  try {
    return await drydock.runtimes.openTerminal(target, { ...size, terminalId });
  } catch (error) {
    const isGone = isDrydockError(error) && (error.status === 404 || error.status === 422);
    if (!isGone) throw error;
    return drydock.runtimes.openTerminal(target, size);
  }
}

/** @returns the emulator, and a function that says where new sizes go */
function openEmulator(box: HTMLElement, onLeave: () => void) {
  const xterm = new Emulator({
    scrollback: SCROLLBACK_LINES,
    fontSize: 13,
    fontFamily: 'ui-monospace, Menlo, Consolas, "Liberation Mono", monospace',
    theme: { background: '#101418', foreground: '#e6e8ea', cursor: '#e6e8ea' },
    minimumContrastRatio: 4.5,
  });
  const fit = new FitAddon();
  xterm.loadAddon(fit);
  xterm.open(box);
  fit.fit();
  xterm.attachCustomKeyEventHandler((event) => {
    if (event.type !== 'keydown') return true;
    if (event.shiftKey && event.key === 'F6') {
      event.preventDefault();
      onLeave();
      return false;
    }
    if (!event.ctrlKey || !event.shiftKey) return true;
    if (event.key.toLowerCase() === 'c') {
      event.preventDefault();
      void copySelection(xterm);
      return false;
    }
    // The browser pastes into the emulator by itself.
    return event.key.toLowerCase() !== 'v';
  });
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(box);
  const { dispose } = xterm;
  xterm.dispose = () => {
    observer.disconnect();
    dispose.call(xterm);
  };
  const resize = (send: (columns: number, rows: number) => void) => {
    xterm.onResize(({ cols, rows }) => send(cols, rows));
    send(xterm.cols, xterm.rows);
  };
  return { xterm, resize };
}

async function copySelection(xterm: Emulator | undefined): Promise<void> {
  const text = xterm?.getSelection() ?? '';
  if (text === '')
    return explain('Nothing is selected', 'Select text in the terminal with the mouse, then copy it.');
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    explainClipboard('Ctrl+Insert');
  }
}

async function pasteInto(xterm: Emulator | undefined): Promise<void> {
  try {
    xterm?.paste(await navigator.clipboard.readText());
    xterm?.focus();
  } catch {
    explainClipboard('Shift+Insert');
  }
}

/** Browsers give pages the clipboard only over HTTPS or on the same machine, and when the user allows it. */
const explainClipboard = (keys: string): void =>
  explain('The browser does not allow this', `Click into the terminal and press ${keys} instead.`);

const explain = (title: string, message: string): void => {
  notifications.show({ color: 'yellow', title, message });
};
