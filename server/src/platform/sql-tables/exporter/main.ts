/** Entry point of the process that moves rows from PostgreSQL to the pipes of a query: handles one query, and exits. */
import pg from 'pg';
import { readLine } from '../../process/read-line.ts';
import { LongRowError } from '../long-row-error.ts';
import { exportRows } from './export-rows.ts';
import type { MoveRequest, MoveResult } from './request.ts';

const REPORT_INTERVAL_MS = 500;
const MAX_REQUEST_BYTES = 64 * 1024 ** 2;

const say = (result: MoveResult) =>
  new Promise<void>((resolve) => process.stdout.write(`${JSON.stringify(result)}\n`, () => resolve()));

async function move(request: MoveRequest): Promise<void> {
  if (request.password !== undefined) pg.defaults.password = request.password;
  const stop = new AbortController();
  const leave = () => stop.abort(new Error('The rows are no longer needed.'));
  process.on('SIGTERM', leave);
  // Ends when the parent process is gone.
  process.stdin.on('close', leave).resume();
  let rows = 0;
  const onRows = (count: number) => {
    rows = count;
  };
  const reporting = setInterval(() => void say({ rows }), REPORT_INTERVAL_MS);
  try {
    await exportRows(request, { signal: stop.signal, onRows });
  } finally {
    clearInterval(reporting);
  }
  await say({ rows, isDone: true });
}

const line = await readLine(process.stdin, MAX_REQUEST_BYTES);
if (line !== undefined) {
  try {
    await move(JSON.parse(line) as MoveRequest);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    await say({ failure: { message, code, isLongRow: error instanceof LongRowError } });
  }
}
process.exit(0);
