import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mapConcurrently } from './concurrent-map.ts';

async function* count(to: number) {
  for (let n = 0; n < to; n++) yield n;
}

/** Work items that the test finishes in any order. */
function createWork() {
  const busy = new Set<number>();
  let most = 0;
  const work = async (n: number) => {
    busy.add(n);
    most = Math.max(most, busy.size);
    await sleep(n % 3);
    busy.delete(n);
    return n;
  };
  return { busy, work, most: () => most };
}

test('mapConcurrently yields results in the order of the source, with no more running at once than allowed', async () => {
  const { work, most } = createWork();
  expect(await Array.fromAsync(mapConcurrently(count(50), 4, work))).toEqual([...Array(50).keys()]);
  expect(most()).toBe(4);
});

test('mapConcurrently leaves no work running after a failure', async () => {
  const { work, busy } = createWork();
  const failing = mapConcurrently(count(50), 4, async (n) => {
    if (n === 5) throw new Error('the sixth');
    return work(n);
  });
  await expect(Array.fromAsync(failing)).rejects.toThrow('the sixth');
  expect(busy.size).toBe(0);
});

test('mapConcurrently leaves no work running after its reader has stopped, and drops later failures', async () => {
  const { work, busy } = createWork();
  const failing = mapConcurrently(count(50), 4, async (n) => {
    await work(n);
    if (n > 0) throw new Error('later');
    return n;
  });
  for await (const n of failing) {
    expect(n).toBe(0);
    break;
  }
  expect(busy.size).toBe(0);
  await nextTurn();
});
