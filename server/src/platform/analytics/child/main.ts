/** Entry point of the process that runs DuckDB: handles one request, and exits. */
import { readFileSync } from 'node:fs';
import { DataError } from '../data-file.ts';
import { convert, TargetSizeError } from './convert.ts';
import { inspect } from './inspect.ts';
import type { Failure, FileRequest, FileResponse } from './request.ts';
import { ResultSizeError, readRows } from './rows.ts';

interface Performed {
  readonly response: FileResponse;
  /** Text that follows the response line. */
  readonly text?: string;
}

async function perform(request: FileRequest): Promise<Performed> {
  const { source, scratch, memoryBytes, threads } = request;
  const lockdown = { scratch, memoryBytes, threads, paths: [source.path] };
  if (request.task === 'inspect') return { response: { result: await inspect(source, lockdown) } };
  if (request.task === 'rows') {
    const { rows, total } = await readRows(request, lockdown);
    return { response: { result: { total } }, text: `[${rows.join(',')}]` };
  }
  await convert(request, { ...lockdown, paths: [source.path, request.target.path] });
  return { response: { result: null } };
}

function toFailure(error: unknown, { task, source }: FileRequest): Failure {
  if (error instanceof DataError) return { kind: 'data', message: error.message, line: error.line ?? null };
  if (error instanceof TargetSizeError) return { kind: 'target_size' };
  if (error instanceof ResultSizeError) return { kind: 'result_size' };
  const message = error instanceof Error ? error.message : String(error);
  if (OF_MEMORY.test(message)) return { kind: 'memory' };
  // A file that has passed its inspection is not the cause of later errors.
  if (task !== 'inspect' || !OF_DATA.test(message)) return { kind: 'failure', message };
  const [firstLine = ''] = message.replace(OF_DATA, '').replaceAll(source.path, 'it').split('\n');
  return { kind: 'data', message: `cannot be read as ${source.format}: ${firstLine.trim()}`, line: null };
}

const OF_MEMORY = /^Out of Memory Error|allocation fail|failed to allocate|bad_alloc/i;
/** DuckDB errors about content, as opposed to the machine or our code. */
const OF_DATA =
  /^(?!.*(?:No space left|Cannot open file|Could not write))(?:Invalid Input|Conversion|Invalid|Serialization|Out of Range|IO|Not implemented|INTERNAL|Binder) Error: /i;

const request = JSON.parse(readFileSync(0, 'utf8')) as FileRequest;
const { response, text = '' } = await perform(request).catch(
  (error: unknown): Performed => ({ response: { failure: toFailure(error, request) } }),
);
// Exits without waiting for DuckDB's threads.
process.stdout.write(`${JSON.stringify(response)}\n${text}`, () => process.exit(0));
