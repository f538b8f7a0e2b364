/** Entry point of a child process: converts one file with one DuckDB statement, and prints the milliseconds. */
import { availableParallelism } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';

const [source = '', target = ''] = process.argv.slice(2);
// Same number of threads as our conversion.
const threads = String(Math.min(availableParallelism(), 4));
const instance = await DuckDBInstance.create(':memory:', { threads });
const connection = await instance.connect();
const started = performance.now();
await connection.run(
  `COPY (SELECT * FROM read_json('${source}', format = 'newline_delimited')) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
);
console.log(performance.now() - started);
