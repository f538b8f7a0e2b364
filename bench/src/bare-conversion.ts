/** Entry of a process of its own: converts one file by one statement of DuckDB, and prints how many milliseconds that took. */
import { availableParallelism } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';

const [source = '', target = ''] = process.argv.slice(2);
// As many as ours has.
const threads = String(Math.min(availableParallelism(), 4));
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const started = performance.now();
await connection.run(
  `COPY (SELECT * FROM read_json('${source}', format = 'newline_delimited')) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
);
console.log(performance.now() - started);
