import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { atTurnEnd } from './turn-end.ts';

const run = promisify(execFile);
const turnEnd = () => new Promise(setImmediate);

test('what is asked for in one turn is done at its end, in order; what is asked for then, at the end of the next', async () => {
  const done: string[] = [];
  atTurnEnd(() => {
    done.push('first');
    atTurnEnd(() => done.push('of the next'));
  });
  atTurnEnd(() => done.push('second'));
  await Promise.resolve();
  expect(done).toEqual([]);
  await turnEnd();
  expect(done).toEqual(['first', 'second']);
  await turnEnd();
  expect(done).toEqual(['first', 'second', 'of the next']);
});

test('one that fails keeps none of the others from being done, and is told', async () => {
  const script = `
    import { atTurnEnd } from ${JSON.stringify(new URL('turn-end.ts', import.meta.url).href)};
    process.on('uncaughtException', ({ message }) => console.log(message));
    atTurnEnd(() => console.log('first'));
    atTurnEnd(() => { throw new Error('failed'); });
    atTurnEnd(() => console.log('last'));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout.trim().split('\n')).toEqual(['first', 'last', 'failed']);
});
