/**
 * Yields results in the order of the source and runs some of the work concurrently. Neither the source nor the results are buffered
 * completely, and no work is running any more when it has ended, with or without an error.
 */
export async function* mapConcurrently<Item, Result>(
  source: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  try {
    for await (const item of source) {
      const result = work(item);
      result.catch(() => undefined); // thrown when its turn comes
      pending.push(result);
      if (pending.length >= atOnce) yield await shift(pending);
    }
    while (pending.length > 0) yield await shift(pending);
  } finally {
    await Promise.allSettled(pending);
  }
}

function shift<Result>(pending: Promise<Result>[]): Promise<Result> {
  const first = pending.shift();
  if (!first) throw new Error('nothing is pending');
  return first;
}
