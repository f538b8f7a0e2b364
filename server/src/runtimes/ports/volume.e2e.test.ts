/**
 * Transfers large amounts through a port in both directions without loss or buffering, in a separate process in order to measure its live
 * memory: a busy machine collects garbage late, so the size of the process says little.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openInside, readResponse, responseOf } from '../../../test/inside-servers.ts';
import { LiveMemory } from '../../../test/live-memory.ts';

const BYTES = 100_000_000;
const PART = randomBytes(1_000_000);
/** Covers buffers of sockets and streams. */
const MAX_GROWTH_MIB = 48;
const TOLERATED_MIB = 40;
const GLANCE_MS = 20;

const { inside, available } = await openInside();

/** @returns the maximum growth of this process's live memory during the work, in MiB */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const memory = new LiveMemory('all');
  const watch = setInterval(() => memory.glance(TOLERATED_MIB), GLANCE_MS);
  await work();
  clearInterval(watch);
  return memory.peakMib;
}

async function warmUp(): Promise<void> {
  await inside.send('/large?bytes=20000000');
  await inside.send('/', { method: 'POST', body: Buffer.alloc(20_000_000) });
}

describe.skipIf(!available)('a hundred megabytes', () => {
  test('a large response arrives completely with backpressure', async () => {
    await warmUp();
    let received = 0;
    const growth = await growthDuring(async () => {
      const response = await responseOf(inside.open(`/large?bytes=${BYTES}`).end());
      for await (const part of response) {
        received += (part as Buffer).length;
        // A reader that pauses stops the sender.
        if (received > BYTES / 2 && received < BYTES / 2 + 65_536) await sleep(500);
      }
      expect(response.complete).toBe(true);
    });
    expect(received).toBe(BYTES);
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });

  test('a large request arrives completely', async () => {
    const hash = createHash('sha256');
    const growth = await growthDuring(async () => {
      const sent = inside.open('/', { method: 'POST' });
      const response = responseOf(sent);
      for (let count = 0; count < BYTES / PART.length; count += 1) {
        hash.update(PART);
        if (!sent.write(PART)) await new Promise((resolve) => sent.once('drain', resolve));
      }
      sent.end();
      const { text } = await readResponse(await response);
      expect(JSON.parse(text)).toMatchObject({ length: BYTES, sha256: hash.digest('hex') });
    });
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });

  test('large bodies pass in both directions at once', async () => {
    const growth = await growthDuring(async () => {
      const sent = inside.open('/mirror', { method: 'POST' });
      const arriving = responseOf(sent);
      const [up, down] = [createHash('sha256'), createHash('sha256')];
      const read = async () => {
        const response = await arriving;
        for await (const part of response) down.update(part as Buffer);
        expect(response.complete).toBe(true);
      };
      const reading = read();
      for (let count = 0; count < BYTES / PART.length; count += 1) {
        up.update(PART);
        if (!sent.write(PART)) await new Promise((resolve) => sent.once('drain', resolve));
      }
      sent.end();
      await reading;
      expect(down.digest('hex')).toBe(up.digest('hex'));
    });
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });
});
