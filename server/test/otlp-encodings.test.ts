/** Protobuf and JSON, in every compression, give the same rows, even for content that no SDK sends. */
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startTestServer } from './harness.ts';
import { oddBatches } from './odd-spans.ts';
import { addOrganization } from './other-organization.ts';
import { encodeJson, encodeProtobuf, type SpanBatch } from './otlp-messages.ts';
import { randomBatches } from './random-spans.ts';
import { readSpans } from './stored-spans.ts';

const SEEDS = 60;

const server = await startTestServer();
const { owner } = server;

const PACKINGS = [
  ['identity', (body: Buffer) => body],
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
] as const;

const FORMS = [
  ['application/x-protobuf', encodeProtobuf],
  ['application/json', encodeJson],
] as const;

async function send(
  org: string,
  form: number,
  packing: number,
  batches: readonly SpanBatch[],
): Promise<void> {
  const [contentType, encode] = FORMS[form] ?? FORMS[0];
  const [encoding, pack] = PACKINGS[packing % PACKINGS.length] ?? PACKINGS[0];
  const headers = { 'content-type': contentType, 'content-encoding': encoding };
  const { status, body } = await server
    .as(owner)
    .post(`/org/${org}/otel/traces`, pack(encode(batches)), headers);
  expect(status, JSON.stringify(body)).toBe(200);
}

test(`both encodings of ${SEEDS} random batches give the same rows`, async () => {
  const [protobuf, json] = [
    await addOrganization(server, owner, 'protobuf'),
    await addOrganization(server, owner, 'json'),
  ];
  for (let seed = 0; seed < SEEDS; seed++) {
    const batches = [...oddBatches(`encodings ${seed}`), ...randomBatches(`encodings ${seed}`)];
    await send('protobuf', 0, seed, batches);
    await send('json', 1, seed + 1, batches);
  }
  const [rows, others] = [await readSpans(server.db, protobuf), await readSpans(server.db, json)];
  expect(rows.length).toBeGreaterThan(700);
  expect(others).toHaveLength(rows.length);
  for (const [index, row] of rows.entries()) expect(others[index]).toEqual(row);
});
