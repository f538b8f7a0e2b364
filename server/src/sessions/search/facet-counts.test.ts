/** The order of facet values. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/harness.ts';
import { compareCodePoints } from './code-points.ts';
import { type FacetCounts, toFacets } from './facet-counts.ts';
import { noCounts } from './sql-facets.ts';

const TEXTS = [
  '',
  'a',
  'B',
  'aa',
  'ä',
  '\uD7FF',
  '\uE000',
  '\uFF5E',
  '\uFFFD',
  '\u{10000}',
  '\u{1F680}',
  'a\u{1F680}',
  'a\uFF5E',
];

test('texts are ordered by code points rather than UTF-16 code units', () => {
  const asBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
  for (const a of TEXTS)
    for (const b of TEXTS) expect(Math.sign(compareCodePoints(a, b)), `${a} ${b}`).toBe(asBytes(a, b));
  expect(TEXTS.toSorted(compareCodePoints)).not.toEqual(TEXTS.toSorted());
});

const server = await startTestServer();
const people = [await server.addPerson('zoe'), await server.addPerson('abe'), await server.addPerson('max')];

test('facet values are ordered by count, then by code point; users by their names', async () => {
  const [zoe, abe, max] = people.map(({ id }) => id) as [string, string, string];
  const counts: FacetCounts = {
    ...noCounts(),
    agents: new Map([
      ['\u{1F680}', 2],
      ['b', 1],
      ['\uFF5E', 2],
      ['a', 3],
    ]),
    users: new Map([
      [zoe, 2],
      [abe, 2],
      [max, 7],
    ]),
    labels: new Map([
      ['\u{1F680}', new Map([['x', 1]])],
      ['empty', new Map()],
      [
        '\uFF5E',
        new Map([
          ['y', 1],
          ['x', 1],
        ]),
      ],
    ]),
  };
  const facets = await toFacets(server.db, counts);
  expect(facets.agents.map(({ value }) => value)).toEqual(['a', '\uFF5E', '\u{1F680}', 'b']);
  expect(facets.users).toEqual([
    { id: max, username: 'max', email: 'max@example.com', full_name: null, count: 7 },
    { id: abe, username: 'abe', email: 'abe@example.com', full_name: null, count: 2 },
    { id: zoe, username: 'zoe', email: 'zoe@example.com', full_name: null, count: 2 },
  ]);
  expect(Object.keys(facets.labels)).toEqual(['\uFF5E', '\u{1F680}']);
  expect(facets.labels['\uFF5E']).toEqual([
    { value: 'x', count: 1 },
    { value: 'y', count: 1 },
  ]);
});
