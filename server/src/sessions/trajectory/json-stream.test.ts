import { expect, test } from 'vitest';
import { writeArray, writeObject } from './json-stream.ts';

async function collect(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

async function* from(...items: unknown[]): AsyncIterable<unknown> {
  yield* items;
}

test('writeObject writes members one by one and calls a function only when its member is due', async () => {
  const seen: unknown[] = [];
  const items = async function* () {
    for (const item of [1, '"\u2028\u{1F600}', null, { a: [] }]) {
      seen.push(item);
      yield item;
    }
  };
  const members = {
    '"odd"': 'text',
    list: writeArray(items()),
    count: () => seen.length,
    none: undefined,
    nested: writeObject({ empty: writeArray(from()), nothing: writeObject({}) }),
    nil: null,
  };
  expect(JSON.parse(await collect(writeObject(members)))).toEqual({
    '"odd"': 'text',
    list: [1, '"\u2028\u{1F600}', null, { a: [] }],
    count: 4,
    nested: { empty: [], nothing: {} },
    nil: null,
  });
});

test('closing an unfinished document closes its sources', async () => {
  let isOver = false;
  const endless = async function* () {
    try {
      for (;;) yield 1;
    } finally {
      isOver = true;
    }
  };
  for await (const piece of writeObject({ list: writeArray(endless()) })) {
    if (piece === ',1') break;
  }
  expect(isOver).toBe(true);
});
