import { expect, test } from 'vitest';
import { z } from 'zod';
import { queryReader } from './query-parameters.ts';

const Query = z.object({
  flag: z.boolean().optional(),
  page: z.int().min(1).default(1),
  ratio: z.number().nullish(),
  tag: z.array(z.string()).optional(),
  id: z.array(z.guid()).default([]),
  sizes: z.array(z.int()).optional(),
  state: z.array(z.enum(['on', 'off'])).optional(),
  search: z.string().optional(),
});
const read = queryReader(Query);

test.each([
  [{}, { page: 1, id: [] }],
  [{ flag: 'true' }, { page: 1, id: [], flag: true }],
  [{ flag: 'false' }, { page: 1, id: [], flag: false }],
  [
    { page: '7', ratio: '-0.5' },
    { page: 7, id: [], ratio: -0.5 },
  ],
  [{ page: '9007199254740991' }, { page: Number.MAX_SAFE_INTEGER, id: [] }],
  [{ tag: 'one' }, { page: 1, id: [], tag: ['one'] }],
  [{ tag: ['one', 'two'] }, { page: 1, id: [], tag: ['one', 'two'] }],
  [{ sizes: ['1', '2'] }, { page: 1, id: [], sizes: [1, 2] }],
  [{ sizes: '1,2' }, { page: 1, id: [], sizes: [1, 2] }],
  [{ state: 'on,off' }, { page: 1, id: [], state: ['on', 'off'] }],
  [{ state: ['on', 'off,on'] }, { page: 1, id: [], state: ['on', 'off', 'on'] }],
  [
    { id: '00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002' },
    { page: 1, id: ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'] },
  ],
  [{ tag: 'one,two' }, { page: 1, id: [], tag: ['one,two'] }],
  [{ search: 'true' }, { page: 1, id: [], search: 'true' }],
  [
    { search: '5', unknown: 'x' },
    { page: 1, id: [], search: '5' },
  ],
])('queryReader reads %o as %o', (raw, expected) => {
  expect(Query.parse(read(raw))).toEqual(expected);
});

test.each([
  [{ flag: '1' }, 'flag'],
  [{ flag: 'TRUE' }, 'flag'],
  [{ flag: '' }, 'flag'],
  [{ page: '0' }, 'page'],
  [{ page: '1.5' }, 'page'],
  [{ page: '1e3' }, 'page'],
  [{ page: '' }, 'page'],
  [{ page: ['1', '2'] }, 'page'],
  [{ page: '9007199254740992' }, 'page'],
  [{ page: '9'.repeat(400) }, 'page'],
  [{ ratio: '9'.repeat(400) }, 'ratio'],
  [{ id: 'x' }, 'id'],
  [{ state: 'on,' }, 'state'],
  [{ state: 'on,away' }, 'state'],
  [{ search: ['a', 'b'] }, 'search'],
])('queryReader leaves %o to be refused at %s', (raw, name) => {
  expect(Query.safeParse(read(raw)).error?.issues.map(({ path }) => path[0])).toEqual([name]);
});
