/** Rows without an owner that PostgreSQL generates while they are read, to be read as queries read theirs. */
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { column, type SqlTable, type SqlViewer } from '../src/platform/sql-tables/sql-table.ts';
import { uuidv7 } from '../src/platform/uuid.ts';

export const somebody = (): SqlViewer => ({
  organizationId: uuidv7(),
  workspaceId: uuidv7(),
  userId: uuidv7(),
  seesAllUsage: false,
  projectId: null,
});

/** Two billion rows, which no test can read completely before it times out. */
export const numbers: SqlTable = {
  name: 'numbers',
  comment: 'Numbers.',
  columns: [
    column('n', 'INTEGER', sql`g.n`, 'A number.'),
    column('text', 'VARCHAR', sql`repeat('x', 100)`, 'The same for all.'),
  ],
  rows: () => sql`FROM (SELECT generate_series(1, 2000000000) AS n) AS g WHERE true`,
};

/** Collects what is written, with an optional delay. */
export class Collected extends Writable {
  readonly #pieces: Buffer[] = [];
  readonly #delayMs: number;

  constructor(delayMs = 0) {
    super();
    this.#delayMs = delayMs;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.#pieces.push(piece);
    if (this.#delayMs === 0) done();
    else setTimeout(done, this.#delayMs);
  }
}
