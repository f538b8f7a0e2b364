import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, loadConfig } from './config.ts';

test('without an environment everything has its default', () => {
  expect(loadConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    dataDir: resolve('.drydock'),
    secretKey: undefined,
    previousSecretKey: undefined,
    logLevel: 'info',
    trustedProxies: undefined,
    database: { url: undefined, directUrl: undefined, namedStatements: true, poolSize: 10 },
    init: {
      organization: 'main',
      workspace: 'main',
      project: 'default',
      email: 'owner@localhost',
      username: 'owner',
      password: undefined,
      apiKey: undefined,
    },
    signup: 'closed',
    role: 'all',
    metricsPort: undefined,
    minClientVersion: undefined,
    rateLimits: { read: 1_200, write: 600, ingest: 6_000 },
    runtimeLimits: { maxSeconds: 86_400, defaultSeconds: 3_600 },
  });
});

test('it is frozen, an empty variable is unset, and the public URL follows host and port', () => {
  const config = loadConfig({ HOST: '::1', PORT: '9', DRYDOCK_SIGNUP: '' });
  expect(Object.isFrozen(config)).toBe(true);
  expect(config).toMatchObject({ publicUrl: 'http://[::1]:9', signup: 'closed' });
  expect(loadConfig({ DRYDOCK_PUBLIC_URL: 'https://drydock.example/' }).publicUrl).toBe(
    'https://drydock.example',
  );
});

test('the direct URL is the database’s own unless another is given', () => {
  const given = { DATABASE_URL: 'postgres://pooler/x', DRYDOCK_SECRET_KEY: 'k'.repeat(32) };
  expect(loadConfig(given).database.directUrl).toBe('postgres://pooler/x');
  expect(loadConfig({ ...given, DATABASE_DIRECT_URL: 'postgres://db/x' }).database.directUrl).toBe(
    'postgres://db/x',
  );
});

test('every mistake is named at once', () => {
  const load = () => loadConfig({ PORT: 'http', DRYDOCK_SIGNUP: 'maybe', DRYDOCK_INIT_ORG: 'Not A Slug' });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/PORT.*\n.*DRYDOCK_INIT_ORG.*\n.*DRYDOCK_SIGNUP/);
});

test('an outside database needs the secret key', () => {
  expect(() => loadConfig({ DATABASE_URL: 'postgres://db/x' })).toThrow(/DRYDOCK_SECRET_KEY is required/);
});

test('a previous secret key needs a next one that differs', () => {
  const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];
  const load = (DRYDOCK_SECRET_KEY: string | undefined, DRYDOCK_SECRET_KEY_PREVIOUS: string) =>
    loadConfig({ DRYDOCK_SECRET_KEY, DRYDOCK_SECRET_KEY_PREVIOUS });
  expect(() => load(undefined, other)).toThrow(/DRYDOCK_SECRET_KEY_PREVIOUS needs/);
  expect(() => load(key, key)).toThrow(/DRYDOCK_SECRET_KEY_PREVIOUS needs/);
  expect(() => load(key, 'short')).toThrow(ConfigError);
  expect(load(key, other)).toMatchObject({ secretKey: key, previousSecretKey: other });
});

test.each([
  ['PORT', '0x10'],
  ['PORT', ' '],
  ['PORT', '8080.5'],
  ['DRYDOCK_RATE_LIMIT_READ', ' '],
  ['DRYDOCK_RATE_LIMIT_WRITE', '-1'],
  ['DRYDOCK_MIN_CLIENT_VERSION', '1.2'],
  ['DRYDOCK_MIN_CLIENT_VERSION', '1.0.12345678901'],
])('%s=%j is a mistake, and not read as something else', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(name);
});
