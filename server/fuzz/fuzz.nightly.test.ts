/** Fifteen hundred requests; `npm run fuzz` sends ten thousand. */
import { expect, test } from 'vitest';
import { fuzz } from './run.ts';
import { startServer } from './server-process.ts';

/** Fewer, and memory would be measured while compiled code still fills up. */
const COUNT = 1_500;
/** Fixed, so that a change is blamed for what it breaks; other seeds are for the long run. */
const SEED = 'ci';

test('odd requests are answered as the contract says, and leave the server well', async () => {
  await using undo = new AsyncDisposableStack();
  const server = await startServer(undo);
  const { residentBytes } = server;
  const report = await fuzz({ target: server, seed: SEED, count: COUNT, residentBytes });
  expect(report.findings).toEqual([]);
  expect(report.unreached).toEqual([]);
  expect(report.growth).toMatchObject({ isFlat: true });
  // Else it would only have knocked at the door.
  for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 422])
    expect(report.statuses.get(status)).toBeGreaterThan(0);
  expect(await server.stop()).toBe(0);
  expect(server.complaints()).toEqual([]);
}, 300_000);
