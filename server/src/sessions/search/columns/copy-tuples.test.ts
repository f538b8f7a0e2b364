import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { expect, inject, test } from 'vitest';
import { CopyTuples } from './copy-tuples.ts';

const SELECT = `
  SELECT 7, 'ä' || n, CASE WHEN n % 2 = 0 THEN repeat('x', n * 100) END, timestamptz '2026-02-03 04:05:06.789Z',
         timestamptz '1969-12-31 23:59:59.999Z', -2147483648
    FROM generate_series(0, 9) AS n`;

async function copy(): Promise<Buffer> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  try {
    const pieces = client.query(copyTo(`COPY (${SELECT}) TO STDOUT (FORMAT binary)`));
    return Buffer.concat(await pieces.toArray());
  } finally {
    await client.end();
  }
}

function read(pieces: readonly Buffer[]) {
  const tuples = new CopyTuples(6);
  const rows = [];
  for (const piece of pieces) {
    tuples.add(piece);
    while (tuples.next())
      rows.push([
        tuples.integer(0),
        tuples.text(1),
        tuples.isNull(2) ? null : tuples.text(2).length,
        new Date(tuples.milliseconds(3)).toISOString(),
        tuples.milliseconds(4),
        tuples.integer(5),
      ]);
  }
  return rows;
}

test('rows are parsed correctly however the stream is split', async () => {
  const whole = await copy();
  const expected = Array.from({ length: 10 }, (_, n) => [
    7,
    `ä${n}`,
    n % 2 === 0 ? n * 100 : null,
    '2026-02-03T04:05:06.789Z',
    -1,
    -2_147_483_648,
  ]);
  expect(read([whole])).toEqual(expected);
  for (const size of [1, 2, 3, 7, 19, 20, 64, 1_000]) {
    const pieces = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
    expect(read(pieces), `in pieces of ${size}`).toEqual(expected);
  }
});
