/** Moves rows from PostgreSQL to the pipes of a query in a separate process, since millions of rows would block this one. */
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type KeptOutput, keepOutput } from '../process/kept-output.ts';
import { type StartedProgram, startProgram } from '../process/start-program.ts';
import type { MoveRequest, MoveResult } from './exporter/request.ts';
import { LongRowError } from './long-row-error.ts';
import type { RowWay } from './table-need.ts';

const ENTRY = fileURLToPath(new URL('./exporter/main.ts', import.meta.url));
const HEAP_MIB = 128;
const MAX_STDERR_BYTES = 16 * 1024;

/** Starts the process in advance, before it is known what to move. It ends on the signal or after `move`. */
export async function startExporter(
  { pipes, isNiced }: Pick<RowWay, 'pipes' | 'isNiced'>,
  limits: {
    readonly timeoutMs: number;
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
): Promise<RowExporter> {
  const args = [`--max-old-space-size=${HEAP_MIB}`, ENTRY];
  return new RowExporter(
    await startProgram({
      ...limits,
      command: process.execPath,
      args,
      cwd: pipes,
      isNiced,
    }),
  );
}

export class RowExporter {
  /**
   * Resolves when all rows were moved and the process has ended.
   * @throws when it ends earlier, with or without a request
   */
  readonly moved: Promise<void>;
  readonly #program: StartedProgram;
  readonly #stderr: KeptOutput;
  #last: MoveResult | undefined;
  #onRows: RowWay['onRows'];

  /** Listens immediately, since an end before listening would be missed. */
  constructor(program: StartedProgram) {
    this.#program = program;
    this.#stderr = keepOutput(program.stderr, MAX_STDERR_BYTES);
    createInterface({ input: program.stdout }).on('line', (line) => this.#receive(line));
    this.moved = this.#untilMoved();
    this.moved.catch(() => undefined); // callers see the rejection when they await it
  }

  /** Resolves when the process has ended, which the signal causes. */
  async ended(): Promise<void> {
    await this.#program.ended;
  }

  /** Sends the request through stdin, so that its secrets appear neither in arguments nor in the environment. */
  move(request: MoveRequest, onRows: RowWay['onRows']): Promise<void> {
    this.#onRows = onRows;
    this.#program.stdin.write(`${JSON.stringify(request)}\n`);
    return this.moved;
  }

  #receive(line: string): void {
    this.#last = parse(line);
    if (this.#last && 'rows' in this.#last) this.#onRows?.(this.#last.rows);
  }

  async #untilMoved(): Promise<void> {
    const { exitCode, signal } = await this.#program.ended;
    const last = this.#last;
    if (last && 'failure' in last) throw toError(last.failure);
    if (!last || !('isDone' in last))
      throw new Error(`The process that moves rows ended with ${signal ?? exitCode}: ${this.#stderr.text()}`);
  }
}

/** @returns undefined for a partial line of a process that was killed while writing */
function parse(line: string): MoveResult | undefined {
  try {
    return JSON.parse(line) as MoveResult;
  } catch {
    return undefined;
  }
}

function toError({ message, code, isLongRow }: Extract<MoveResult, { failure: object }>['failure']): Error {
  return isLongRow ? new LongRowError() : Object.assign(new Error(message), { code });
}
