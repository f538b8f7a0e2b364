/**
 * Transfers large amounts through a port in both directions without loss or buffering, in a separate process in order to measure its
 * memory.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { answerTo, openInside, readAnswer } from '../../../test/inside-servers.ts';

const BYTES = 100_000_000;
const PART = randomBytes(1_000_000);
/** Covers buffers of sockets and streams, and memory not yet garbage collected. */
const MAX_GROWTH = 64 * 1024 * 1024;

const { inside, available } = await openInside();

/** @returns the maximum growth of this process's memory during the work */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  global.gc?.();
  const before = process.memoryUsage.rss();
  let highest = before;
  const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10);
  await work();
  clearInterval(watch);
  return highest - before;
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
      const answer = await answerTo(inside.open(`/large?bytes=${BYTES}`).end());
      for await (const part of answer) {
        received += (part as Buffer).length;
        // A reader that pauses stops the sender.
        if (received > BYTES / 2 && received < BYTES / 2 + 65_536) await sleep(500);
      }
      expect(answer.complete).toBe(true);
    });
    expect(received).toBe(BYTES);
    expect(growth).toBeLessThan(MAX_GROWTH);
  });

  test('a large request arrives completely', async () => {
    const hash = createHash('sha256');
    const growth = await growthDuring(async () => {
      const sent = inside.open('/', { method: 'POST' });
      const answered = answerTo(sent);
      for (let count = 0; count < BYTES / PART.length; count += 1) {
        hash.update(PART);
        if (!sent.write(PART)) await new Promise((resolve) => sent.once('drain', resolve));
      }
      sent.end();
      const { text } = await readAnswer(await answered);
      expect(JSON.parse(text)).toMatchObject({ length: BYTES, sha256: hash.digest('hex') });
    });
    expect(growth).toBeLessThan(MAX_GROWTH);
  });

  test('large bodies pass in both directions at once', async () => {
    const growth = await growthDuring(async () => {
      const sent = inside.open('/mirror', { method: 'POST' });
      const answered = answerTo(sent);
      const [up, down] = [createHash('sha256'), createHash('sha256')];
      const read = async () => {
        const answer = await answered;
        for await (const part of answer) down.update(part as Buffer);
        expect(answer.complete).toBe(true);
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
    expect(growth).toBeLessThan(MAX_GROWTH);
  });
});
