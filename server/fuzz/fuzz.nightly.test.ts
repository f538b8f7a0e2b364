/** Fifteen hundred requests; `npm run fuzz` sends ten thousand. */
import { expect, test } from 'vitest';
import { fuzz } from './run.ts';
import { startServer } from './server-process.ts';

/** A smaller number would measure memory while compiled code is still growing. */
const COUNT = 1_500;
/** Fixed, so that a failure is caused by the change under test; long runs use other seeds. */
const SEED = 'ci';

test('odd requests get responses that follow the contract and leave the server healthy', async () => {
  await using undo = new AsyncDisposableStack();
  const server = await startServer(undo);
  const { residentBytes } = server;
  const report = await fuzz({ target: server, seed: SEED, count: COUNT, residentBytes });
  expect(report.findings).toEqual([]);
  expect(report.unreached).toEqual([]);
  expect(report.growth).toMatchObject({ isFlat: true });
  // Requires that the requests reached the operations.
  for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 422])
    expect(report.statuses.get(status)).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
  expect(server.complaints()).toEqual([]);
}, 300_000);
