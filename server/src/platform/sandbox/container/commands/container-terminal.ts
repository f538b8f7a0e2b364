/** A program at a terminal that the engine creates in a container. */
import type { Command, TerminalProcess, TerminalSize } from '../../sandbox-provider.ts';
import { EngineError } from '../engine/engine.ts';
import { END_TERMINAL, toTerminalEntrance, toTerminalScript } from './command-scripts.ts';
import {
  begin,
  type CommandPlace,
  endForSure,
  findExit,
  hasEnded,
  newMark,
  noFolder,
  toExec,
  toInput,
  untilBegun,
} from './container-command.ts';
import { MarkedOutput } from './marked-output.ts';

const USUAL_TERM = 'xterm-256color';

/**
 * Key sequence by which an engine detaches from a terminal, which cannot be disabled; the default is a sequence that users type and files
 * contain. This random one cannot be guessed, and its first key, after which the engine waits for the next ones, is hardly ever used.
 */
const toDetachKeys = () => ['ctrl-^', ...newMark().split('')].join(',');

/** @param startup aborts while the program has not begun */
export async function openTerminal(
  { engine, container, awaitsRelay }: CommandPlace,
  command: Command,
  { columns, rows }: TerminalSize,
  startup: AbortSignal,
): Promise<TerminalProcess> {
  const mark = newMark();
  const given = { ...command, environment: { TERM: USUAL_TERM, ...command.environment } };
  const script = toTerminalScript({ given: Object.keys(given.environment), awaitsRelay });
  const Cmd = toTerminalEntrance(script, [mark, command.cwd, String(columns), String(rows), ...command.argv]);
  const options = { ...toExec(given), Tty: true, DetachKeys: toDetachKeys(), Cmd };
  const { exec, connection } = await begin(engine, container, options, startup);
  const begun = Promise.withResolvers<string | undefined>();
  const flow = () => (shown.isFull ? connection.pause() : connection.isPaused() && connection.resume());
  const shown = new MarkedOutput(mark, (word) => begun.resolve(word.trim()), flow);
  shown.on('error', () => undefined); // readers see the error as an event
  connection.on('data', (chunk: Buffer) => {
    shown.add(chunk);
    flow();
  });
  const ended = new Promise<void>((over) => {
    const finish = () => {
      begun.resolve(undefined);
      over();
    };
    connection.once('end', finish).once('close', finish);
  });
  const word = await untilBegun(begun.promise, connection, startup);
  if (word === 'folder') throw noFolder(command.cwd);
  const pid = /^runs (\d+)$/.exec(word ?? '')?.[1];
  if (pid === undefined) throw hasEnded();
  let isOver = false;
  const exit = ended
    .then(() => findExit(engine, exec))
    .then(
      (found) => {
        shown.finish();
        return found;
      },
      (error: Error) => {
        shown.destroy(error);
        return { code: 137 };
      },
    )
    .finally(() => {
      isOver = true;
      connection.destroy();
    });
  const resize = async (size: TerminalSize) => {
    if (isOver) return;
    try {
      await engine.find((_docker, abortSignal) =>
        exec.resize({ w: size.columns, h: size.rows, abortSignal }),
      );
    } catch (error) {
      // Podman reports success with this status.
      if (!(error instanceof EngineError && error.engineStatus === 201)) throw error;
    }
  };
  let isEnding = false;
  const kill = () => {
    if (isOver || isEnding) return;
    isEnding = true;
    const ending = { script: END_TERMINAL, pid, isOver: () => isOver, over: exit };
    void endForSure(engine, container, ending).finally(() => connection.destroy());
  };
  return { input: toInput(connection), output: shown, exit, resize, kill };
}
