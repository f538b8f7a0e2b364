/** Conversions that cannot be done; no worker runs, the test runs the step itself. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { DuckDBInstance } from '@duckdb/node-api';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { bundle } from '../../../test/bundles.ts';
import { startTestServer } from '../../../test/harness.ts';
import { openTestWork } from '../../../test/work-folders.ts';
import { createLocalFiles } from '../../platform/analytics/local-files.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { endJob } from '../../platform/jobs/job-row.ts';
import { writeQuotas } from '../../platform/storage-limits/quotas.ts';
import { conversionJob } from './conversion-job.ts';

const server = await startTestServer();
const { db, storage, owner } = server;
const { id: organizationId } = await db
  .selectFrom('organizations')
  .select('id')
  .where('key', '=', 'main')
  .executeTakeFirstOrThrow();
const local = createLocalFiles(await openTestWork());

const files = { 'dataset.yaml': '{}', 'train.jsonl': '{"secret":"value"}\n'.repeat(50) };
await server.as(owner).put('/org/main/datasets/rows/1.0.0', bundle(files));
const ask = async (name = 'rows') => {
  const path = `/org/main/datasets/${name}/1.0.0/download`;
  const { body } = await server.as(owner).post(path, { format: 'csv' });
  return body as { download_id: string; status: string };
};

async function step(id: string, maxTargetBytes?: number) {
  const lines: unknown[] = [];
  const sink = new Writable({
    write: (line: Buffer, _encoding, next) => {
      lines.push(JSON.parse(String(line)));
      next();
    },
  });
  const log = pino({ base: null, timestamp: false, level: 'info' }, sink);
  const { signal } = new AbortController();
  const job = conversionJob({ db, storage, local, ...(maxTargetBytes && { maxTargetBytes }) });
  const save = <T>(write: Parameters<typeof transaction<T>>[1]) => transaction(db, write);
  const outcome = await job.step({
    organizationId,
    id,
    attempt: 1,
    checkpoint: undefined,
    signal,
    log,
    save,
    follow: (_, run) => run(signal),
    claimRows: () => Promise.resolve(),
  });
  return { outcome, lines };
}

test('a conversion that becomes too large fails, is logged without its content and is reported once', async () => {
  const { download_id: id, status } = await ask();
  expect(status).toBe('preparing');
  const { outcome, lines } = await step(id, 100);
  const error = 'It becomes larger than 0 MiB.';
  expect(outcome).toEqual({ status: 'failed', error, write: undefined });
  expect(lines).toEqual([
    {
      level: 40,
      organization_id: organizationId,
      reason: 'target_size',
      msg: 'a conversion has failed',
    },
  ]);
  await transaction(db, (trx) =>
    endJob(trx, 'artifact_conversions', { organizationId, id }, 'failed', error),
  );
  const response = { download_id: id, status: 'failed', url: null, filename: null, expires_at: null };
  expect(await ask()).toEqual(response);
  const again = await ask();
  expect(again.status).toBe('preparing');
  expect(again.download_id).not.toBe(id);
  expect((await step(again.download_id)).outcome.status).toBe('completed');
});

test('a conversion of a small file of equal values fails before it fills the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-parquet-'));
  const path = join(folder, 'bomb.parquet');
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `COPY (SELECT repeat('a', 100) AS a FROM range(1000000)) TO '${path}' (COMPRESSION zstd)`,
  );
  connection.closeSync();
  const bomb = readFileSync(path);
  rmSync(folder, { recursive: true });
  expect(bomb.length).toBeLessThan(300_000);
  const bombFiles = { 'dataset.yaml': 'splits: {train: bomb.parquet}\n', 'bomb.parquet': bomb };
  expect(await server.as(owner).put('/org/main/datasets/bomb/1.0.0', bundle(bombFiles))).toMatchObject({
    status: 201,
  });
  const { download_id: id } = await ask('bomb');
  const { outcome } = await step(id);
  expect(outcome).toMatchObject({ status: 'failed', error: 'It becomes larger than 64 MiB.' });
});

test('a conversion beyond the registry quota fails with a message about the quota', async () => {
  const quotas = { objects: null, registry: null, runtimes: null, spans: null };
  const more = { 'dataset.yaml': '{}', 'train.jsonl': '{"a":"other"}\n'.repeat(50) };
  await server.as(owner).put('/org/main/datasets/more/1.0.0', bundle(more));
  const { download_id: id } = await ask('more');
  await writeQuotas(db, { ...quotas, registry: 1 });
  const { outcome } = await step(id);
  await writeQuotas(db, quotas);
  expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('used up its quota') });
});
