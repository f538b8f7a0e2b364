import { expect, test } from 'vitest';
import { analyticsOf, readingOf, storeFiles } from '../../../test/datasets.ts';
import { startTestServer } from '../../../test/harness.ts';
import { datasetExaminer } from './examine.ts';

const server = await startTestServer();
const { id: main } = await server.db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();
const analytics = await analyticsOf(server);
const reading = readingOf(analytics, main);
const examine = datasetExaminer(analytics);

test('examine describes splits in their order', async () => {
  const files = await storeFiles(server, main, {
    'train.jsonl': '{"q":"a","n":1}\n{"q":"b","n":18446744073709551615}\n',
    'test.csv': 'q,n\na,1\n',
  });
  const again = { ...files[0], name: 'again' } as (typeof files)[number];
  expect(await examine([...files, again], reading)).toEqual([
    {
      ...files[0],
      row_count: 2,
      columns: [
        { name: 'q', type: 'VARCHAR' },
        { name: 'n', type: 'UBIGINT' },
      ],
    },
    {
      ...files[1],
      row_count: 1,
      columns: [
        { name: 'q', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
      ],
    },
    expect.objectContaining({ name: 'again', path: 'train.jsonl', row_count: 2 }),
  ]);
});

test('examine names every invalid file with the line', async () => {
  const files = await storeFiles(server, main, {
    'data/train.jsonl': `${'{"a":1}\n'.repeat(16)}[1]\n`,
    'good.csv': 'a\n1\n',
    'eval.parquet': '{"a":1}\n',
  });
  await expect(examine(files, reading)).rejects.toMatchObject({
    type: 'validation_error',
    message: expect.stringContaining('There is 1 more mistake; see "errors".'),
    issues: [
      {
        loc: ['body', 'data/train.jsonl'],
        msg: 'data/train.jsonl, line 17: is not a JSON object',
        type: 'invalid_data',
      },
      {
        loc: ['body', 'eval.parquet'],
        msg: expect.stringMatching(/^eval\.parquet: cannot be read as parquet: ./),
        type: 'invalid_data',
      },
    ],
  });
  await expect(examine(files.slice(0, 1), reading)).rejects.toMatchObject({
    message: 'data/train.jsonl, line 17: is not a JSON object.',
  });
});

test('examine reports missing content as a server error rather than an invalid file', async () => {
  const file = {
    name: 'x',
    path: 'x.jsonl',
    format: 'jsonl' as const,
    sha256: '0'.repeat(64),
    size_bytes: 1,
  };
  await expect(examine([file], reading)).rejects.toThrow('is not there');
});
