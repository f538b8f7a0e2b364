/** A row exporter that ends early: callers always get an error, whenever it ended. */
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { commandOf, descendantsOf } from '../../../test/descendants.ts';
import { numbers, somebody } from '../../../test/plain-rows.ts';
import { makeFolder } from '../../../test/processes.ts';
import { WAIT_TIMEOUT_MS } from '../../../test/wait-timeout.ts';
import { FairSemaphore } from '../admission/fair-semaphore.ts';
import { startProgram } from '../process/start-program.ts';
import { RowExporter } from './row-exporter.ts';
import { openRowSource } from './row-source.ts';
import type { RowWay, TableNeed } from './table-need.ts';

const pipes = makeFolder();
const way: RowWay = {
  pipes,
  segments: 1,
  isNiced: true,
  signal: new AbortController().signal,
  onRows: undefined,
};
const request = {
  url: 'postgres://127.0.0.1:1/none',
  password: undefined,
  statementTimeoutMs: 1,
  copies: [],
  pipes,
  segments: 1,
};

async function exporterThat(script: string) {
  const program = await startProgram({
    command: '/bin/sh',
    args: ['-c', script],
    cwd: pipes,
    timeoutMs: WAIT_TIMEOUT_MS,
  });
  return { program, exporter: new RowExporter(program) };
}

test('a exporter that ended before it got its request is an error', async () => {
  const { program, exporter } = await exporterThat('echo oh >&2; exit 3');
  await program.ended;
  await expect(exporter.move(request, undefined)).rejects.toThrow('moves rows ended with 3: oh');
  await exporter.ended();
});

test('a exporter killed in the middle of a message is an error', async () => {
  const { exporter } = await exporterThat('read request; printf \'{"rows":1}\\n{"rows":12\'; kill -9 $$');
  const reported: number[] = [];
  await expect(exporter.move(request, (rows) => reported.push(rows))).rejects.toThrow('ended with SIGKILL');
  expect(reported).toEqual([1]);
});

test('messages and the failure of a exporter before its request are reported', async () => {
  const { program, exporter } = await exporterThat(
    'echo \'{"failure":{"message":"no room","code":"ENOSPC"}}\'',
  );
  await program.ended;
  await expect(exporter.move(request, undefined)).rejects.toThrow(
    expect.objectContaining({ message: 'no room', code: 'ENOSPC' }),
  );
});

const open = (statementTimeoutMs: number, turns = new FairSemaphore(1)) =>
  openRowSource({ url: request.url, turns, tables: [], viewer: somebody(), statementTimeoutMs });

test('a caller waiting for the needs gets an error when the exporter ends', async () => {
  const never = new Promise<readonly TableNeed[]>(() => undefined);
  await expect(open(1).copyOut(never, way)).rejects.toThrow('moves rows ended with');
});

test('a caller waiting for a turn gets an error when the exporter ends, and leaves the queue', async () => {
  const turns = new FairSemaphore(1);
  const over = Promise.withResolvers<void>();
  const others = turns.take({ owner: 'another', signal: way.signal }, () => over.promise);
  await expect(open(1, turns).copyOut(Promise.resolve([]), way)).rejects.toThrow('moves rows ended with');
  over.resolve();
  await others;
  await turns.take({ owner: 'another', signal: way.signal, maxWaitMs: 0 }, async () => undefined);
});

/** Requests a plain text password from each client, and sends nothing more. */
async function askForPassword(): Promise<{ readonly port: number; readonly reported: Promise<string> }> {
  const reported = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      socket.once('data', (bytes) => reported.resolve(bytes.toString()));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, reported: reported.promise };
}

test('a password from the environment reaches the database, without being in any environment of the exporter', async () => {
  const { port, reported } = await askForPassword();
  const leaving = new AbortController();
  const source = openRowSource({
    url: `postgres://somebody@127.0.0.1:${port}/none`,
    turns: new FairSemaphore(1),
    tables: [numbers],
    viewer: somebody(),
    statementTimeoutMs: WAIT_TIMEOUT_MS,
    environment: { PGPASSWORD: 'never-to-be-seen', PGCONNECT_TIMEOUT: '61' },
  });
  const needs = [{ table: 'numbers', columns: ['n'], condition: null }];
  const copying = source.copyOut(Promise.resolve(needs), { ...way, signal: leaving.signal });
  const ending = expect(copying).rejects.toThrow();
  expect(await reported).toContain('never-to-be-seen');
  const exporters = descendantsOf(process.pid).filter((pid) => commandOf(pid).includes('exporter/main.ts'));
  const seen = exporters.map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8')).join();
  expect(seen).toContain('PGCONNECT_TIMEOUT=61');
  expect(seen).not.toContain('never-to-be-seen');
  leaving.abort(new Error('enough'));
  await ending;
});
