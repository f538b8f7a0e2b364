import { afterAll, expect, inject, test } from 'vitest';
import { createLog } from '../log.ts';
import { connect, poolOf } from './connect.ts';
import { Pieces } from './pieces.ts';

const connections = [true, false].map((namedStatements) =>
  connect({ url: inject('databaseUrl'), poolSize: 1, namedStatements, log: createLog('fatal') }),
);
afterAll(() => Promise.all(connections.map((db) => db.destroy())));

const STATEMENT = `SELECT octet_length($1::bytea) AS bytes, md5($1::bytea) = md5($2::bytea) AS is_same, $3::text AS text,
                          $4::int AS number, $5::text IS NULL AS is_null, $6::bytea AS small, octet_length($7::bytea) AS none`;

test('pieces arrive as one value beside values of other types, also when the statement is repeated', async () => {
  const parts = [
    Buffer.from('a\0b'),
    Buffer.alloc(0),
    Buffer.alloc(3_000_000, 'Größe'),
    new Uint8Array([255]),
  ];
  const whole = Buffer.concat(parts);
  const values = [new Pieces(parts), whole, 'Größe', 7, null, Buffer.from([1, 0, 2]), new Pieces([])];
  const row = {
    bytes: whole.length,
    is_same: true,
    text: 'Größe',
    number: 7,
    is_null: true,
    small: Buffer.from([1, 0, 2]),
    none: 0,
  };
  for (const db of connections) {
    for (let time = 0; time < 3; time++) {
      const found = await poolOf(db)?.query(STATEMENT, values);
      expect(found?.rows).toEqual([row]);
    }
  }
});

test('a value that cannot be sent fails only its own statement', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  for (const db of connections) {
    const query = (values: unknown[]) => poolOf(db)?.query('SELECT md5($1::bytea), $2::text AS text', values);
    await expect(query([new Pieces([Buffer.from('x')]), circle])).rejects.toThrow('circular');
    expect((await query([new Pieces([Buffer.from('x')]), 'fine']))?.rows[0].text).toBe('fine');
  }
});

test('a conversion to one buffer contains all pieces', () => {
  expect(new Pieces([Buffer.from('ab'), Buffer.from('c')]).toPostgres()).toEqual(Buffer.from('abc'));
});
