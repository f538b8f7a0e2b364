/**
 * Provider keys never appear in clear text: searches everything that a server produces while it works with them, fails with them, and is
 * backed up.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './commands.ts';
import { startKeyEchoProvider, WAYS_TO_FAIL } from './key-echo-provider.ts';
import { makeFolder, newDataDir, type RunningServer, startServer, until, urlOfRunning } from './processes.ts';

const OWN_KEY = `dd_${'k'.repeat(40)}`;
/** Contains characters that are escaped in JSON, in URLs and in headers. */
const API_KEY = 'sk-"Geheimnis\\of/the+provider=~7f3a9c';
/** The part of the key that is the same in most escapings. */
const MIDDLE = 'Geheimnis';
const SPELLINGS = [API_KEY, MIDDLE, encodeURIComponent(API_KEY)].flatMap((text) => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
]);

const KINDS = ['openai_compatible', 'anthropic', 'google'] as const;
const MODELS = WAYS_TO_FAIL.map((name) => ({ name, input_price: 1, output_price: 1 }));
const messages = [{ role: 'user', content: 'Hello' }];

const dataDir = newDataDir();
const environment = {
  DRYDOCK_DATA_DIR: dataDir,
  DRYDOCK_INIT_API_KEY: OWN_KEY,
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1',
  DRYDOCK_LOG_LEVEL: 'trace',
};
const provider = await startKeyEchoProvider();
let server: RunningServer;
/** Status, headers and body of every response, as text. */
const responses: string[] = [];

beforeAll(async () => {
  server = await startServer(environment);
  await replaceProviders();
});
afterAll(async () => {
  await server.stop();
  await provider.close();
});

async function send(method: string, path: string, body?: unknown, more: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${OWN_KEY}`, 'content-type': 'application/json', ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  responses.push(JSON.stringify([response.status, [...response.headers], text]), text);
  return { status: response.status, text };
}

/** Providers with short timeouts are only for `way-stall`: on a slow machine, 2 s are too short for 108 calls at once. */
const nameOf = (kind: string, isHasty: boolean) => `${kind.replace('_', '-')}${isHasty ? '-hasty' : ''}`;

const replaceProviders = (patientSeconds = 600) =>
  send('PUT', '/org/main/inference/providers', {
    providers: KINDS.flatMap((kind) =>
      [false, true].map((isHasty) => ({
        name: nameOf(kind, isHasty),
        kind,
        base_url: provider.url,
        api_key: API_KEY,
        timeout_seconds: isHasty ? 2 : patientSeconds,
        models: MODELS,
      })),
    ),
  });

const chat = (model: string, isStreamed: boolean) =>
  send(
    'POST',
    '/org/main/inference/v1/chat/completions',
    { model, messages, stream: isStreamed },
    { 'idempotency-key': `${model} ${isStreamed}` },
  );

test('a provider that leaks its key in every failure does not make the server leak it', async () => {
  const calls = KINDS.flatMap((kind) =>
    WAYS_TO_FAIL.flatMap((way) => [true, false].map((isStreamed) => [kind, way, isStreamed] as const)),
  );
  const outcomes = await Promise.all(
    calls.map(async ([kind, way, isStreamed]) => {
      const model = `${nameOf(kind, way === 'way-stall')}/${way}`;
      const { status, text } = await chat(model, isStreamed);
      return { kind, way, isStreamed, status, text };
    }),
  );
  const statusOf = (way: string, of = 'openai_compatible') =>
    outcomes.filter((one) => one.way === way && one.kind === of).map(({ status }) => status);
  expect(statusOf('way-400')).toEqual([400, 400]);
  expect(statusOf('way-401', 'google')).toEqual([502, 502]);
  expect(statusOf('way-429', 'anthropic')).toEqual([429, 429]);
  expect(statusOf('way-malformed')).toEqual([502, 502]);
  expect(statusOf('way-stall')).toEqual([504, 504]);
  // Streamed, the response has begun; otherwise it is not a valid completion.
  expect(statusOf('way-break-off')).toEqual([200, 502]);
  expect(statusOf('way-answer')).toEqual([502, 200]);
  // The error contains the provider's message without the key.
  expect(outcomes.find(({ way }) => way === 'way-400')?.text).toContain('[API key]');
  expect(provider.callCount()).toBeGreaterThan(calls.length);
});

test('a database failure during a call does not leak the key', async () => {
  const client = new pg.Client({ connectionString: urlOfRunning(dataDir) });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE inference_providers, inference_calls IN ACCESS EXCLUSIVE MODE');
  const calls = [replaceProviders(300), chat('openai-compatible/way-answer', false)];
  let isOver = false;
  const outcomes = Promise.all(calls).finally(() => {
    isOver = true;
  });
  await until('both have failed', async () => {
    // Both wait for the table lock, and retries wait for it again.
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    );
    return isOver;
  });
  await client.query('ROLLBACK');
  await client.end();
  for (const { status } of await outcomes) expect(status).toBe(500);
  expect(server.output().stderr).toContain('request failed');
});

test('no API response leaks the key afterwards', async () => {
  for (const path of [
    '/org/main/inference/providers',
    '/org/main/inference/v1/models',
    '/org/main/audit-log?limit=100',
    '/org/main/credits',
    '/org/main/credits/transactions',
    '/org/main/credits/inference-usage?user_id=all',
    '/metrics',
  ])
    expect((await send('GET', path)).status).toBe(200);
  expect(responses.join()).toContain('inference_provider.created');
  expect(responses.join()).toContain('"has_api_key":true');
});

test('no response, log, data file or backup file contains the key', async () => {
  const backup = join(makeFolder(), 'backup');
  const made = await runCommand('backup', [backup], environment);
  expect(made).toMatchObject({ code: 0 });
  const { stdout, stderr } = server.output();
  await server.stop();
  const places = new Map<string, Buffer>([
    ['answers', Buffer.from(responses.join('\n'))],
    ['standard output', Buffer.from(stdout + made.stdout)],
    ['log', Buffer.from(stderr + made.stderr)],
    ...filesIn(dataDir),
    ...filesIn(backup),
  ]);
  // Checks that the search covered the expected places.
  const all = [...places.values()];
  for (const there of ['inference_provider.created', provider.url, 'openai-compatible/way-401'])
    expect(all.filter((bytes) => bytes.includes(there)).length).toBeGreaterThan(2);
  expect(places.get('log')?.includes('/inference/v1/chat/completions')).toBe(true);
  const found = [...places].flatMap(([name, bytes]) =>
    SPELLINGS.filter((spelling) => bytes.includes(spelling)).map((spelling) => `${spelling} in ${name}`),
  );
  expect(found).toEqual([]);
});

function filesIn(folder: string): [string, Buffer][] {
  return globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      return [join(parentPath, name), name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes];
    });
}
