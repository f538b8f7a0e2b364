import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { ColumnWorld } from '../../../../test/column-world.ts';
import { startTestServer } from '../../../../test/harness.ts';
import { connect } from '../../../platform/db/connect.ts';
import { createLog } from '../../../platform/log.ts';
import { ColumnIndex } from './column-index.ts';

const server = await startTestServer();
const { db } = server;
const MINUTE_MS = 60_000;

/** Measures the memory of a workspace of twenty sessions. */
async function measure(): Promise<number> {
  const world = await ColumnWorld.make(server, 'measured');
  await world.fill(20);
  await world.load();
  return world.index.bytes;
}

describe('memory of loaded workspaces', () => {
  test('the most recently used workspace stays loaded when not all fit, once the others are idle', async () => {
    let now = 0;
    const maxBytes = 2.5 * (await measure());
    const first = await ColumnWorld.make(server, 'first', { maxBytes, now: () => now });
    const worlds = [first];
    for (const seed of ['second', 'third']) worlds.push(await ColumnWorld.make(server, seed, first.index));
    const [, second, third] = worlds as [ColumnWorld, ColumnWorld, ColumnWorld];
    for (const world of worlds) await world.fill(20);
    await first.load();
    await second.load();
    now += MINUTE_MS;
    expect(await first.ask()).toBeDefined();
    await third.load();
    expect(first.index.bytes).toBeLessThanOrEqual(maxBytes);
    expect(await third.ask()).toBeDefined();
    expect(await first.ask()).toBeDefined();
    await second.load();
    expect(await second.ask()).toBeUndefined();
  });

  test('a workspace that does not fit is left to SQL and tried again after a while', async () => {
    let now = 0;
    const world = await ColumnWorld.make(server, 'large', { maxBytes: await measure(), now: () => now });
    await world.fill(200);
    await world.load();
    expect(await world.ask()).toBeUndefined();
    expect(world.index.bytes).toBe(0);
    await sql`DELETE FROM sessions WHERE organization_id = ${world.place.organizationId}`.execute(db);
    await world.load();
    expect(await world.ask()).toBeUndefined();
    now += MINUTE_MS;
    await world.load();
    await world.compare(3);
  });

  test('a workspace that outgrows the memory budget is dropped', async () => {
    const world = await ColumnWorld.make(server, 'growing', { maxBytes: 2 * (await measure()) });
    await world.fill(20);
    await world.load();
    for (let session = 0; session < 300; session++) await world.sessions.add();
    await world.ask();
    expect(world.index.bytes).toBeLessThan(10_000);
    await world.load();
    expect(await world.ask()).toBeUndefined();
  });

  test('closing the index frees all memory and stops further loads', async () => {
    const world = await ColumnWorld.make(server, 'closed');
    await world.fill(5);
    await world.load();
    await world.index.close();
    await world.load();
    expect(await world.ask()).toBeUndefined();
  });
});

describe('reloading a workspace', () => {
  test('a workspace is reloaded once most of its memory is unused', async () => {
    const world = await ColumnWorld.make(server, 'worn');
    await world.fill(20);
    await world.load();
    let results = 0;
    for (let round = 0; round < 12; round++) {
      await sql`UPDATE sessions SET search_text = repeat(${`t${round}`}, 10000)
                 WHERE organization_id = ${world.place.organizationId}`.execute(db);
      if (await world.ask()) results++;
      else await world.index.settled();
    }
    expect(results).toBeGreaterThan(6);
    expect(results).toBeLessThan(12);
    expect(world.index.bytes).toBeLessThan(5_000_000);
    await world.ask();
    await world.index.settled();
    await world.compare(6);
  });

  test('a workspace is reloaded after the connection was lost, and SQL is used until then', async () => {
    const lost = connect({ url: server.url, poolSize: 1, namedStatements: true, log: createLog('fatal') });
    const index = new ColumnIndex({ db: lost, log: createLog('fatal') });
    const world = await ColumnWorld.make(server, 'lost', index);
    await world.fill(5);
    await world.load();
    await world.compare(3);
    await lost.destroy();
    expect(await world.ask()).toBeUndefined();
    expect(await world.ask()).toBeUndefined();
  });
});
