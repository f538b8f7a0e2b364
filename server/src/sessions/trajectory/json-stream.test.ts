import { expect, test } from 'vitest';
import { writeArray, writeObject } from './json-stream.ts';

async function collect(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

async function* from(...items: unknown[]): AsyncIterable<unknown> {
  yield* items;
}

test('an object is written member by member, and a function is asked when its turn comes', async () => {
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

test('a document that is not taken to its end closes what it is made from', async () => {
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
