/** Entry point of a child process: rows from PostgreSQL's COPY through a pipe into DuckDB into Parquet; prints the milliseconds. */
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { EXPORTED_COLUMNS } from './message-rows.ts';

const [url = '', organizationId = '', folder = ''] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
await client.connect();
// Same number of threads as our export.
const threads = String(Math.min(availableParallelism(), 4));
const instance = await DuckDBInstance.create(':memory:', { threads, memory_limit: '1GiB' });
const connection = await instance.connect();

const fifo = `${folder}/rows.csv`;
execFileSync('mkfifo', [fifo]);
const names = EXPORTED_COLUMNS.map(({ name }) => name).join(', ');
const types = EXPORTED_COLUMNS.map(({ name, type }) => `${name}: '${type}'`).join(', ');
const started = performance.now();
const rows = client.query(
  copyTo(
    `COPY (SELECT ${names} FROM session_messages WHERE organization_id = '${organizationId}') TO STDOUT (FORMAT csv)`,
  ),
);
await Promise.all([
  pipeline(rows, createWriteStream(fifo)),
  connection.run(
    `COPY (FROM read_csv('${fifo}', columns = {${types}}, header = false, auto_detect = false, quote = '"', escape = '"'))
       TO '${folder}/rows.parquet' (FORMAT parquet, COMPRESSION zstd)`,
  ),
]);
console.log(performance.now() - started);
await client.end();
