import { describe, expect, test } from 'vitest';
import { json, refusal, type Step, startScriptedServer } from '../test/scripted-server.ts';
import { Drydock } from './drydock.ts';
import { List, type Position } from './pages.ts';

const byUrl =
  (pages: Readonly<Record<string, unknown>>): Step =>
  (response, seen) => {
    const page = pages[seen.url];
    return page === undefined
      ? refusal(404, 'not_found_error', `Nothing at ${seen.url}.`)(response, seen)
      : json(200, page)(response, seen);
  };

const listFrom = <Page>(baseUrl: string) => {
  const drydock = new Drydock({ baseUrl, apiKey: 'dd_key' });
  return new List<Page>('GET /api/v1/list', (position: Position | undefined) =>
    drydock.request({ method: 'GET', path: '/api/v1/list', query: { limit: 2, ...position } }),
  );
};

describe('a list with numbered pages', async () => {
  const page = (number: number, jobs: number[], has_next: boolean) => ({
    jobs,
    total: 3,
    page: number,
    has_next,
  });
  const pages = [page(1, [1, 2], true), page(2, [3], false)];
  const server = await startScriptedServer(
    byUrl({ '/api/v1/list?limit=2': pages[0], '/api/v1/list?limit=2&page=2': pages[1] }),
  );
  const list = listFrom<ReturnType<typeof page>>(server.url);

  test('is one sequence in a loop, and can be looped over again', async () => {
    expect(await Array.fromAsync(list)).toEqual([1, 2, 3]);
    expect(await Array.fromAsync(list)).toEqual([1, 2, 3]);
  });

  test('yields its pages with their totals', async () => {
    expect(await Array.fromAsync(list.pages())).toEqual(pages);
  });

  test('resolves with the first page', async () => {
    expect((await list).total).toBe(3);
  });

  test('requests no page past the end of the loop', async () => {
    const before = server.seen.length;
    for await (const item of list) if (item === 2) break;
    expect(server.seen.length - before).toBe(1);
  });
});

describe('a list with cursors', async () => {
  const server = await startScriptedServer(
    byUrl({
      '/api/v1/list?limit=2': { items: ['a', 'b'], next_cursor: 'x/1' },
      '/api/v1/list?limit=2&cursor=x%2F1': { items: [], next_cursor: 'x/2' },
      '/api/v1/list?limit=2&cursor=x%2F2': { items: ['c'], next_cursor: null },
    }),
  );

  test('continues to the end, even after an empty page', async () => {
    const list = listFrom<{ items: string[]; next_cursor: string | null }>(server.url);
    expect(await Array.fromAsync(list)).toEqual(['a', 'b', 'c']);
  });

  test("sends cursors under the operation's parameter name", async () => {
    const path = '/api/v1/org/o/ws/w/traces/t/spans?limit=1';
    const spans = await startScriptedServer(
      byUrl({
        [path]: { items: ['a'], next_cursor: 'x' },
        [`${path}&after=x`]: { items: ['b'], next_cursor: null },
      }),
    );
    const drydock = new Drydock({ baseUrl: spans.url, apiKey: 'dd_key' });
    const list = drydock.traces.listSpans({ org: 'o', workspace: 'w', trace_id: 't' }, { limit: 1 });
    expect(await Array.fromAsync(list)).toEqual(['a', 'b']);
  });
});

describe('a list as a bare array', async () => {
  const server = await startScriptedServer(byUrl({ '/api/v1/list?limit=2': ['a', 'b'] }));
  const list = listFrom<string[]>(server.url);

  test('can be awaited and looped over', async () => {
    expect(await list).toEqual(['a', 'b']);
    expect(await Array.fromAsync(list)).toEqual(['a', 'b']);
  });
});

test('a failure rejects an await and ends a loop', async () => {
  const server = await startScriptedServer(refusal(403, 'forbidden_error', 'No.'));
  const list = listFrom<string[]>(server.url);
  await expect(list).rejects.toMatchObject({ type: 'forbidden_error' });
  await expect(Array.fromAsync(list)).rejects.toMatchObject({ type: 'forbidden_error' });
});

test.each([
  ['null', null],
  ['a string', 'items'],
  ['a number', 7],
  ['an object without a list', { total: 0 }],
])('a response that is %s is refused as a list', async (_name, response) => {
  const server = await startScriptedServer(json(200, response));
  const list = listFrom<string[]>(server.url);
  const failure = {
    type: 'unexpected_answer_error',
    request: 'GET /api/v1/list',
    detail: 'The response contains no list.',
  };
  await expect(list).rejects.toMatchObject(failure);
  await expect(Array.fromAsync(list)).rejects.toMatchObject(failure);
});

test.each([
  ['a cursor', { items: ['a'], next_cursor: 'same' }],
  ['a number', { items: ['a'], page: 1, has_next: true }],
])('%s that leads to the same page again ends the loop with an error', async (_name, page) => {
  const server = await startScriptedServer(json(200, page));
  const reading = Array.fromAsync(listFrom<{ items: string[] }>(server.url));
  await expect(reading).rejects.toMatchObject({ type: 'unexpected_answer_error' });
  expect(server.seen).toHaveLength(2);
});

test('a list has all methods of a promise', async () => {
  const server = await startScriptedServer(json(200, ['a']), refusal(403, 'forbidden_error', 'No.'));
  let ends = 0;
  const list = listFrom<string[]>(server.url);
  expect(await list.finally(() => (ends += 1))).toEqual(['a']);
  expect(await list.catch(() => 'caught')).toBe('caught');
  expect(ends).toBe(1);
});
