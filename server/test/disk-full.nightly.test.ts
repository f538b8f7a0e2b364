/**
 * One tenant writes as fast as it can on a disk of 3 GB, up to its quotas: no work of another tenant is ended or refused, and the reserve
 * is never used. Skipped if no file system can be mounted.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from './bundles.ts';
import { FIRST_START } from './first-start.ts';
import { call, type Method, type RunningServer, startServer } from './processes.ts';
import { type CredentialsBody, openS3, toAccess } from './workspace-storage.ts';

const GB = 1024 ** 3;
const RESERVE_BYTES = 0.3 * GB;
const folder = mkdtempSync(join(tmpdir(), 'drydock-full-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3g,mode=755', 'none', folder]).status === 0;

const KEY = FIRST_START.apiKey;
let server: RunningServer;
/** The token of the tenant that fills the disk. */
let greedy = '';

const asOwner = <T>(method: Method, path: string, body?: unknown) =>
  call<T>(server.url, KEY, method, path, body);
const asGreedy = <T>(method: Method, path: string, body?: unknown) =>
  call<T>(server.url, greedy, method, path, body);

beforeAll(async () => {
  if (!mounted) return;
  server = await startServer({
    DRYDOCK_DATA_DIR: folder,
    DRYDOCK_INIT_API_KEY: KEY,
    DRYDOCK_SIGNUP: 'open',
    DRYDOCK_ALLOW_PROCESS_ISOLATION: '1',
    DRYDOCK_RATE_LIMIT_READ: '0',
    DRYDOCK_RATE_LIMIT_WRITE: '0',
    DRYDOCK_RATE_LIMIT_INGEST: '0',
    DRYDOCK_LOG_LEVEL: 'fatal',
  });
  const signedUp = await call<{ access_token: string }>(server.url, '', 'POST', '/auth/signup', {
    email_address: 'greedy@example.com',
    password: 'greedy-password-1',
    username: 'greedy',
  });
  greedy = signedUp.body.access_token;
  await asGreedy('POST', '/user/onboarding', { username: 'greedy', org_name: 'greedy' });
});
afterAll(async () => {
  await server?.stop();
  if (mounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes until a write is refused with 429. */
async function untilRefused(write: (n: number) => Promise<{ status: number }>): Promise<number> {
  for (let n = 0; ; n++) {
    const { status } = await write(n);
    if (status === 429) return n;
    expect(status).toBeLessThan(300);
  }
}

async function fillObjects(): Promise<number> {
  const { body } = await asGreedy<CredentialsBody>('GET', '/org/greedy/ws/main/storage/credentials');
  const s3 = openS3(toAccess(body), { maxAttempts: 1 });
  const content = randomBytes(16 * 1024 ** 2);
  const put = (n: number) =>
    s3.send(new PutObjectCommand({ Bucket: body.bucket, Key: `${body.prefix}${n}`, Body: content })).then(
      () => ({ status: 200 }),
      (error: { $metadata: { httpStatusCode?: number } }) => ({
        status: error.$metadata.httpStatusCode ?? 0,
      }),
    );
  try {
    return await untilRefused(put);
  } finally {
    s3.destroy();
  }
}

const fillRegistry = () =>
  untilRefused(async (n) => {
    const body = bundle({ 'model.yaml': 'summary: x\n', 'weights.bin': randomBytes(16 * 1024 ** 2) });
    const response = await fetch(`${server.url}/api/v1/org/greedy/models/m${n}/1.0.0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${greedy}`, 'content-type': 'application/gzip' },
      body: new Uint8Array(body),
    });
    await response.arrayBuffer();
    return { status: response.status };
  });

/** Starts a sandbox that writes until it is ended, and expects the next start to be refused. */
async function fillDisk(): Promise<void> {
  const path = '/org/greedy/ws/main/runtimes';
  await asGreedy('POST', path, { key: 'full' });
  expect(await asGreedy('POST', `${path}/full/start`)).toMatchObject({ status: 200 });
  await asGreedy('POST', `${path}/full/exec`, {
    command: 'dd if=/dev/zero of=/workspace/file bs=1M count=2500',
    timeout_seconds: 60,
  });
  await expect
    .poll(async () => (await asGreedy<{ status: string }>('GET', `${path}/full`)).body.status, {
      timeout: 30_000,
    })
    .toBe('idle');
}

function spans(bytes: number) {
  const time = String(BigInt(Date.now()) * 1_000_000n);
  const value = { stringValue: randomBytes(bytes / 2).toString('hex') };
  const span = {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: 'span',
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes: [{ key: 'text', value }],
  };
  return { resourceSpans: [{ resource: {}, scopeSpans: [{ spans: [span] }] }] };
}

describe.skipIf(!mounted)('a disk of 3 GB', () => {
  test('keeps its reserve, and another tenant keeps working', { timeout: 600_000 }, async () => {
    const runtimes = '/org/main/ws/main/runtimes';
    await asOwner('POST', runtimes, { key: 'innocent' });
    expect(await asOwner('POST', `${runtimes}/innocent/start`)).toMatchObject({ status: 200 });
    let leastFree = Number.POSITIVE_INFINITY;
    const watching = setInterval(() => {
      const { bavail, bsize } = statfsSync(folder);
      leastFree = Math.min(leastFree, bavail * bsize);
    }, 20);
    const refused: number[] = [];
    const done = new AbortController();
    const working = (async () => {
      while (!done.signal.aborted) {
        const responses = [
          await asOwner('POST', '/org/main/otel/traces', spans(1_000)),
          await asOwner('POST', '/org/main/ws/main/sessions', { id: crypto.randomUUID(), model: 'm' }),
          await asOwner('POST', `${runtimes}/innocent/exec`, { command: ['true'] }),
        ];
        refused.push(...responses.map(({ status }) => status).filter((status) => status >= 300));
        await sleep(50);
      }
    })();
    await Promise.all([fillObjects(), fillRegistry(), fillDisk()]);
    done.abort();
    await working;
    clearInterval(watching);
    expect(refused).toEqual([]);
    expect(await asOwner('GET', `${runtimes}/innocent`)).toMatchObject({ body: { status: 'running' } });
    expect(leastFree).toBeGreaterThan(RESERVE_BYTES);
    expect((await asOwner<{ status: string }>('GET', '/health')).body.status).toBe('ok');
    // A tenant can delete data after a refusal, which frees space.
    expect(await asGreedy('POST', '/org/greedy/ws/main/runtimes/full/reset')).toMatchObject({ status: 200 });
    expect(await asGreedy('DELETE', '/org/greedy/models/m0/1.0.0')).toMatchObject({ status: 204 });
    // A sandbox outlives its server and would keep the file system busy.
    expect(await asOwner('DELETE', `${runtimes}/innocent`)).toMatchObject({ status: 204 });
  });
});
