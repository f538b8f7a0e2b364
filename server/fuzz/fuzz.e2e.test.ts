/** A short run; `fuzz.nightly.test.ts` and `npm run fuzz` send more requests and check memory too. */
import { expect, test } from 'vitest';
import { fuzz } from './run.ts';
import { startServer } from './server-process.ts';

const COUNT = 200;
/** Fixed, so that a failure is caused by the change under test. */
const SEED = 'ci';

test('odd requests get responses that follow the contract and leave the server healthy', async () => {
  await using undo = new AsyncDisposableStack();
  const server = await startServer(undo);
  const report = await fuzz({ target: server, seed: SEED, count: COUNT, isOddOnly: true });
  expect(report.findings).toEqual([]);
  for (const status of [200, 400, 401, 403, 404, 422]) expect(report.statuses.get(status)).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
  expect(server.complaints()).toEqual([]);
}, 600_000);
