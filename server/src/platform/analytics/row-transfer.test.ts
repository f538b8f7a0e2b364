/** Rows that are no longer needed while their pipes are created: that ends, too. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/processes.ts';
import { pipePath } from '../sql-tables/segments.ts';
import type { RowSource } from '../sql-tables/table-need.ts';
import { RowTransfer } from './row-transfer.ts';

const NEEDS = [{ table: 'numbers', columns: ['n'], condition: null }];

function open(source: RowSource) {
  const failures: unknown[] = [];
  const pipes = makeFolder();
  const transfer = new RowTransfer({
    source,
    pipes,
    segments: 1,
    isNiced: false,
    onRows: undefined,
    onFailure: (error) => failures.push(error),
  });
  return { transfer, pipes, failures };
}

test('aborting during the creation of pipes ends it, and the source never starts', async () => {
  let isBegun = false;
  const { transfer, failures } = open({
    copyOut: async (needs) => {
      await needs;
      isBegun = true;
    },
  });
  const starting = transfer.start(NEEDS);
  const ending = expect(starting).rejects.toThrow('no longer needed');
  await transfer.stop();
  await ending;
  expect([isBegun, failures]).toEqual([false, []]);
  transfer.throwIfFailed();
});

test('the pipes exist when the transfer has started', async () => {
  const { transfer, pipes } = open({
    copyOut: async (needs, { signal }) => {
      await needs;
      await new Promise((_, left) => signal.addEventListener('abort', () => left(signal.reason)));
    },
  });
  await transfer.start(NEEDS);
  expect(existsSync(pipePath(pipes, 0, 0))).toBe(true);
  await transfer.stop();
});
