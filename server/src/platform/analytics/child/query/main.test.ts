/** Tests the query process through its stdin and stdout. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../../../test/processes.ts';
import { WAIT_TIMEOUT_MS } from '../../../../../test/wait-timeout.ts';
import { keepOutput } from '../../../process/kept-output.ts';
import { readLine } from '../../../process/read-line.ts';
import { startProgram } from '../../../process/start-program.ts';
import { QUERY_ENTRY } from '../../confinement.ts';
import type { QueryRequest } from './request.ts';

test.each([
  ['the end of what it is told', ''],
  ['another word', 'stop\n'],
  ['a piece of it', 'go'],
])('%s gets no command to continue: the process ends without a response', async (_, next) => {
  const folder = makeFolder();
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  const request: QueryRequest = {
    query: 'SELECT n FROM numbers',
    tables: [{ name: 'numbers', columns: [{ name: 'n', type: 'INTEGER' }] }],
    scratch,
    // The folder has no pipes: a process that continued would report their absence.
    pipes: folder,
    memoryBytes: 128 * 1024 ** 2,
    threads: 1,
    maxRows: 1,
    target: { form: 'rows', maxResultBytes: 1000 },
  };
  const program = await startProgram({
    command: process.execPath,
    args: [QUERY_ENTRY],
    cwd: folder,
    timeoutMs: WAIT_TIMEOUT_MS,
  });
  keepOutput(program.stderr, 1000);
  program.stdin.write(`${JSON.stringify(request)}\n`);
  const needs = [{ table: 'numbers', columns: ['n'], condition: null }];
  expect(JSON.parse((await readLine(program.stdout, 1000)) ?? '')).toEqual({ needs });
  const output = keepOutput(program.stdout, 1000);
  program.stdin.end(next);
  expect(await program.ended).toMatchObject({ exitCode: 1, timedOut: false });
  expect(output.text()).toBe('');
});
