import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigError, gatewayUrl, ignoredVariables, isWildcard, loadConfig } from './config.ts';
import { BUILT_IN_PRICES, readPriceList } from './inference/prices/price-list.ts';

test('loadConfig uses the default of every setting when the environment is empty', () => {
  expect(loadConfig({})).toEqual({
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    dataDir: resolve('.drydock'),
    secretKey: undefined,
    previousSecretKey: undefined,
    logLevel: 'info',
    logFormat: 'auto',
    trustedProxies: undefined,
    database: {
      url: undefined,
      directUrl: undefined,
      namedStatements: true,
      poolSize: 10,
      environment: {},
    },
    s3: undefined,
    gateway: { port: 8081, publicUrl: undefined },
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
    credits: 'unlimited',
    diskReserve: undefined,
    quotas: { objects: undefined, registry: undefined, runtimes: undefined, spans: undefined },
    vendorWords: false,
    inference: { allowPrivateProviders: false, priceList: readPriceList(BUILT_IN_PRICES) },
    sandboxes: {
      hostUrl: undefined,
      allowProcessIsolation: true,
      containers: {
        image: undefined,
        pull: false,
        host: undefined,
        certificates: undefined,
        runtime: undefined,
      },
    },
  });
});

test('loadConfig passes child processes only the variables for database connections', () => {
  const taken = { PGSSLMODE: 'require', NODE_EXTRA_CA_CERTS: '/ca.pem' };
  const { environment } = loadConfig({
    ...taken,
    PATH: '/bin',
    DRYDOCK_INIT_PASSWORD: 'secret-secret',
  }).database;
  expect(environment).toEqual(taken);
});

test('loadConfig accepts a container engine at a socket or over TLS', () => {
  const load = (environment: NodeJS.ProcessEnv) => loadConfig(environment).sandboxes.containers;
  expect(
    load({ DRYDOCK_CONTAINER_IMAGE: 'base', DRYDOCK_CONTAINER_HOST: 'unix:///run/podman/podman.sock' }),
  ).toMatchObject({ image: 'base', host: 'unix:///run/podman/podman.sock' });
  expect(
    load({ DRYDOCK_CONTAINER_HOST: 'tcp://engine:2376', DRYDOCK_CONTAINER_CERTS: '/certs' }),
  ).toMatchObject({ host: 'tcp://engine:2376', certificates: '/certs' });
  for (const host of ['engine:2376', 'http://engine', 'ssh://engine', 'unix://', 'tcp://engine'])
    expect(() => load({ DRYDOCK_CONTAINER_HOST: host }), host).toThrow(/unix:\/\/\//);
  expect(() => load({ DRYDOCK_CONTAINER_HOST: 'tcp://engine:2375' })).toThrow(/without TLS is root/);
  expect(() => load({ DRYDOCK_CONTAINER_CERTS: '/certs' })).toThrow(ConfigError);
});

test('loadConfig requires process isolation to be allowed explicitly when sign-up is open', () => {
  const isAllowed = (environment: NodeJS.ProcessEnv) =>
    loadConfig(environment).sandboxes.allowProcessIsolation;
  expect(isAllowed({ DRYDOCK_SIGNUP: 'open' })).toBe(false);
  expect(isAllowed({ DRYDOCK_SIGNUP: 'open', DRYDOCK_ALLOW_PROCESS_ISOLATION: '1' })).toBe(true);
});

test('loadConfig requires models at private addresses to be allowed explicitly', () => {
  expect(loadConfig({ DRYDOCK_ALLOW_PRIVATE_PROVIDERS: '1' }).inference.allowPrivateProviders).toBe(true);
});

test('loadConfig freezes the result, treats empty variables as unset and derives the public URL from host and port', () => {
  const config = loadConfig({ HOST: '::1', PORT: '9', DRYDOCK_SIGNUP: '' });
  expect(Object.isFrozen(config)).toBe(true);
  expect(config).toMatchObject({ publicUrl: 'http://[::1]:9', signup: 'closed' });
  expect(loadConfig({ DRYDOCK_PUBLIC_URL: 'https://drydock.example/' }).publicUrl).toBe(
    'https://drydock.example',
  );
});

test('loadConfig uses DATABASE_URL as the direct URL unless another is given', () => {
  const given = { DATABASE_URL: 'postgres://pooler/x', DRYDOCK_SECRET_KEY: 'k'.repeat(32) };
  expect(loadConfig(given).database.directUrl).toBe('postgres://pooler/x');
  expect(loadConfig({ ...given, DATABASE_DIRECT_URL: 'postgres://db/x' }).database.directUrl).toBe(
    'postgres://db/x',
  );
});

test('loadConfig reports all mistakes at once', () => {
  const load = () => loadConfig({ PORT: 'http', DRYDOCK_SIGNUP: 'maybe', DRYDOCK_INIT_ORG: 'Not A Slug' });
  expect(load).toThrow(ConfigError);
  expect(load).toThrow(/PORT.*\n.*DRYDOCK_INIT_ORG.*\n.*DRYDOCK_SIGNUP/);
});

test('loadConfig requires a secret key for an external database', () => {
  expect(() => loadConfig({ DATABASE_URL: 'postgres://db/x' })).toThrow(/DRYDOCK_SECRET_KEY is required/);
});

test('loadConfig requires a secret key that differs from the previous one', () => {
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
  ['DRYDOCK_ALLOW_PRIVATE_PROVIDERS', 'true'],
  ['DRYDOCK_MIN_CLIENT_VERSION', '1.2'],
  ['DRYDOCK_MIN_CLIENT_VERSION', '1.0.12345678901'],
])('loadConfig rejects %s=%j instead of reading it as another value', (name, value) => {
  expect(() => loadConfig({ [name]: value })).toThrow(name);
});

test('loadConfig uses a configured S3 in place of the embedded store', () => {
  const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  const env = { S3_BUCKET: 'objects', S3_ENDPOINT: 'http://127.0.0.1:9000/', ...keys };
  expect(loadConfig(env).s3).toEqual({
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
    bucket: 'objects',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    stsEndpoint: undefined,
    stsRoleArn: undefined,
  });
  expect(loadConfig({ S3_BUCKET: 'objects' }).s3).toMatchObject({
    endpoint: undefined,
    accessKeyId: undefined,
  });
});

test.each([
  [{ S3_ENDPOINT: 'http://127.0.0.1:9000' }, /S3_ENDPOINT: set S3_BUCKET as well/],
  [
    { S3_REGION: 'eu-central-1', S3_STS_ROLE_ARN: 'arn:aws:iam::1:role/x' },
    /S3_REGION, S3_STS_ROLE_ARN: set/,
  ],
  [{ S3_BUCKET: 'objects', S3_ACCESS_KEY_ID: 'id' }, /both, or neither/],
  [{ S3_BUCKET: 'objects', S3_SECRET_ACCESS_KEY: 'secret' }, /both, or neither/],
  [
    { S3_BUCKET: 'objects', S3_ENDPOINT: 'http://127.0.0.1/minio' },
    /S3_ENDPOINT: must be an address without a path/,
  ],
  [
    { DRYDOCK_S3_PUBLIC_URL: 'https://s3.example/?x=1' },
    /DRYDOCK_S3_PUBLIC_URL: must be an address without a path/,
  ],
  [{ PORT: '65535' }, /set DRYDOCK_S3_PORT/],
])('loadConfig rejects incomplete S3 settings: %o', (env, message) => {
  expect(() => loadConfig(env)).toThrow(message);
});

test('gatewayUrl uses the host of the server unless another is configured', () => {
  const url = (env: NodeJS.ProcessEnv, port: number) => gatewayUrl(loadConfig(env), port);
  expect(loadConfig({ PORT: '9000' }).gateway.port).toBe(9001);
  expect(loadConfig({ PORT: '0' }).gateway.port).toBe(0);
  expect(loadConfig({ PORT: '65535', DRYDOCK_S3_PORT: '7' }).gateway.port).toBe(7);
  expect(url({ HOST: '::1' }, 8081)).toBe('http://[::1]:8081');
  const DRYDOCK_PUBLIC_URL = 'https://drydock.example:8443/console';
  expect(url({ HOST: '10.0.0.1', DRYDOCK_PUBLIC_URL }, 8081)).toBe('http://10.0.0.1:8081');
  expect(url({ DRYDOCK_S3_PUBLIC_URL: 'https://s3.example/' }, 8081)).toBe('https://s3.example');
});

test.each(['0.0.0.0', '::'])(
  'gatewayUrl uses the public host when the gateway listens on %s, to which clients cannot connect',
  (HOST) => {
    const url = (env: NodeJS.ProcessEnv) => gatewayUrl(loadConfig({ HOST, ...env }), 8081);
    expect(url({ DRYDOCK_PUBLIC_URL: 'https://drydock.example:8443' })).toBe('http://drydock.example:8081');
    expect(url({ DRYDOCK_PUBLIC_URL: 'http://[fd00::1]:8080' })).toBe('http://[fd00::1]:8081');
    expect(isWildcard(new URL(url({ DRYDOCK_PUBLIC_URL: 'http://[fd00::1]:8080' })).hostname)).toBe(false);
    expect(url({ DRYDOCK_S3_PUBLIC_URL: 'https://s3.example' })).toBe('https://s3.example');
    // When neither host is configured, the URL keeps the wildcard address, and the start warns about it.
    expect(isWildcard(new URL(url({})).hostname)).toBe(true);
  },
);

test('loadConfig reads quotas and the disk reserve in bytes', () => {
  const { quotas, diskReserve } = loadConfig({
    DRYDOCK_QUOTA_OBJECTS: '500M',
    DRYDOCK_QUOTA_REGISTRY: '20G',
    DRYDOCK_QUOTA_RUNTIMES: 'none',
    DRYDOCK_DISK_RESERVE: '1024',
  });
  expect(quotas).toEqual({
    objects: 500 * 1024 ** 2,
    registry: 20 * 1024 ** 3,
    runtimes: null,
    spans: undefined,
  });
  expect(diskReserve).toBe(1024);
});

test.each(['20%', '-1', '1.5G', '5GB', 'all'])('loadConfig refuses %s as a quota', (value) => {
  expect(() => loadConfig({ DRYDOCK_QUOTA_SPANS: value })).toThrow('DRYDOCK_QUOTA_SPANS');
});

test.each([
  ['DRYDOCK_DATADIR', 'DRYDOCK_DATA_DIR'],
  ['DRYDOCK_SINGUP', 'DRYDOCK_SIGNUP'],
])('loadConfig refuses %s and suggests the setting with the closest name', (name, meant) => {
  expect(() => loadConfig({ [name]: 'x' })).toThrow(`${name}: is not a setting; did you mean ${meant}?`);
});

test('ignoredVariables lists variables that look like settings, except those of clients', () => {
  const environment = { DRYDOCK_COLOUR: 'red', DRYDOCK_API_KEY: 'dd_x', DRYDOCK_ROLE: 'all', PATH: '/bin' };
  expect(ignoredVariables(environment)).toEqual(['DRYDOCK_COLOUR']);
  expect(loadConfig(environment).role).toBe('all');
});
