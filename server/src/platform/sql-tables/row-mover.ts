/**
 * A process that takes rows from PostgreSQL to the pipes of a question: millions of them would take the one thread of this
 * process from everybody else.
 */
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type KeptOutput, keepOutput } from '../process/kept-output.ts';
import { type StartedProgram, startProgram } from '../process/start-program.ts';
import { LongRowError } from './long-row-error.ts';
import type { MoveAnswer, MoveRequest } from './mover/request.ts';
import type { RowWay } from './table-need.ts';

const ENTRY = fileURLToPath(new URL('./mover/main.ts', import.meta.url));
const HEAP_MIB = 128;
const MAX_STDERR_BYTES = 16 * 1024;

/** Starts it, so that it is ready when it is known what is to be moved. It has ended when the signal says so, or `move` has. */
export async function startMover(
  { pipes, isNiced }: Pick<RowWay, 'pipes' | 'isNiced'>,
  limits: {
    readonly timeoutMs: number;
    readonly env: Readonly<Record<string, string>> | undefined;
    readonly signal: AbortSignal;
  },
): Promise<RowMover> {
  const args = [`--max-old-space-size=${HEAP_MIB}`, ENTRY];
  return new RowMover(
    await startProgram({
      ...limits,
      env: limits.env ?? {},
      command: process.execPath,
      args,
      cwd: pipes,
      isNiced,
    }),
  );
}

export class RowMover {
  readonly #program: StartedProgram;
  readonly #stderr: KeptOutput;

  constructor(program: StartedProgram) {
    this.#program = program;
    this.#stderr = keepOutput(program.stderr, MAX_STDERR_BYTES);
  }

  /** Resolves when it has ended, which it does once its signal says so. */
  async ended(): Promise<void> {
    this.#program.stdout.resume();
    await this.#program.ended;
  }

  /** What is secret of it is told to nobody else: it is neither an argument nor in the environment. */
  async move(request: MoveRequest, onRows: RowWay['onRows']): Promise<void> {
    const { stdin, stdout, ended } = this.#program;
    stdin.write(`${JSON.stringify(request)}\n`);
    let last: MoveAnswer | undefined;
    for await (const line of createInterface({ input: stdout })) {
      last = JSON.parse(line) as MoveAnswer;
      if ('rows' in last) onRows?.(last.rows);
    }
    const { exitCode, signal } = await ended;
    if (last && 'failure' in last) throw toError(last.failure);
    if (!last || !('isDone' in last))
      throw new Error(`The process that moves rows ended with ${signal ?? exitCode}: ${this.#stderr.text()}`);
  }
}

function toError({ message, code, isLongRow }: Extract<MoveAnswer, { failure: object }>['failure']): Error {
  return isLongRow ? new LongRowError() : Object.assign(new Error(message), { code });
}
