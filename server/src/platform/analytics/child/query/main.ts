/** Entry point of the query process: handles one query, and exits. */
import { readSync } from 'node:fs';
import { execute, plan } from './execute-query.ts';
import { toFailure } from './failures.ts';
import type { NeedsResponse, QueryRequest, QueryResponse } from './request.ts';

type Message = NeedsResponse | QueryResponse;

/** Blocks, since there is nothing else to do. */
function readLine(): string {
  const chunks: Buffer[] = [];
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    const count = readSync(0, chunk);
    const piece = Buffer.from(chunk.subarray(0, count));
    chunks.push(piece);
    if (count === 0 || piece.at(-1) === 0x0a) return Buffer.concat(chunks).toString();
  }
}

const send = (message: Message, text = '') =>
  new Promise<void>((resolve) =>
    process.stdout.write(`${JSON.stringify(message)}\n${text}`, () => resolve()),
  );

const request = JSON.parse(readLine()) as QueryRequest;
let isPlanned = false;
try {
  const planned = await plan(request);
  isPlanned = true;
  await send({ needs: planned.needs });
  // The parent is gone, so no rows will arrive.
  if (planned.needs.length > 0 && readLine() !== 'go\n') process.exit(1);
  const { result, text } = await execute(request, planned);
  await send({ result }, text);
} catch (error) {
  await send({ failure: toFailure(error, isPlanned ? null : request.query, request.tables) });
}
// Exits without waiting for DuckDB's threads.
process.exit(0);
