/**
 * One file per table: the text format of COPY, which every version of PostgreSQL reads, compressed with zstd. Everything streams; a table
 * may be larger than memory.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { type Digest, Meter } from './digests.ts';
import type { TableShape } from './tables.ts';

const FORMAT = "(FORMAT text, ENCODING 'UTF8')";

/** Writes the rows of a table, excluding those of tables that inherit from it, which have files of their own. */
export async function writeTable(
  client: pg.Client,
  { name, columns, partitions = [] }: TableShape,
  path: string,
): Promise<Digest & { readonly rows: number }> {
  const rows = client.query(
    copyTo(
      `COPY (SELECT ${quoteAll(columns)} FROM ${partitions.length > 0 ? '' : 'ONLY '}${quote(name)}) TO STDOUT ${FORMAT}`,
    ),
  );
  const meter = new Meter();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(rows, createZstdCompress(), (source) => meter.pass(source), file);
  return { rows: rows.rowCount, ...meter.digest() };
}

export async function loadTable(
  client: pg.Client,
  { name, columns }: TableShape,
  path: string,
  target = quote(name),
): Promise<Digest & { readonly rows: number }> {
  const rows = client.query(copyFrom(`COPY ${target} (${quoteAll(columns)}) FROM STDIN ${FORMAT}`));
  const meter = new Meter();
  await pipeline(createReadStream(path), (source) => meter.pass(source), createZstdDecompress(), rows);
  return { rows: rows.rowCount, ...meter.digest() };
}

const quote = (name: string) => `public.${pg.escapeIdentifier(name)}`;

const quoteAll = (names: readonly string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');
