/** The environment, read once and frozen. Nothing else in the server looks at `process.env`. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { EmailAddress, Password } from './accounts/fields.ts';
import { usernamePattern } from './accounts/users/username.ts';
import { BUILT_IN_PRICES, readPriceList } from './inference/prices/price-list.ts';
import { apiKeyPattern } from './platform/auth/random-token.ts';
import { Slug, slugPattern } from './platform/fields.ts';
import { readVersion } from './platform/limits/client-version.ts';
import { findMeantName } from './platform/near-names.ts';
import './platform/validation-messages.ts';

const slug = z.string().regex(slugPattern, 'must be a slug: lower-case letters, digits and dashes');
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL');
/** `z.coerce` would take an empty text for 0, and 0x10 for 16. */
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
const seconds = wholeNumber(60, 2_147_483_647);
const perMinute = wholeNumber(0, 1_000_000);
const origin = z
  .url({ protocol: /^https?$/ })
  .refine((url) => new URL(url).pathname === '/' && !/[?#]/.test(url), 'must be an address without a path')
  .transform((url) => new URL(url).origin);
const UNITS = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };
const bytes = z
  .string()
  .regex(/^\d{1,6}[KMGT]?$/, 'must be a number of bytes such as 500M or 20G')
  .transform(
    (text) => Number.parseInt(text, 10) * (UNITS[text.replace(/\d+/, '') as keyof typeof UNITS] ?? 1),
  );
const quota = z.union([z.literal('none').transform(() => null), bytes]);
const flag = z.enum(['0', '1']).transform((value) => value === '1');

function toPriceList(path: string, context: z.RefinementCtx) {
  try {
    return readPriceList(path);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
}

/** Every variable that the server reads. `setting-texts.ts` says what each means. */
export const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(8080),
  DRYDOCK_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  DRYDOCK_DATA_DIR: z.string().min(1).default('.drydock'),
  DRYDOCK_SECRET_KEY: z.string().min(32, 'must hold at least 32 characters').optional(),
  DRYDOCK_SECRET_KEY_PREVIOUS: z.string().min(32, 'must hold at least 32 characters').optional(),
  DRYDOCK_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DRYDOCK_LOG_FORMAT: z.enum(['auto', 'json', 'pretty']).default('auto'),
  DRYDOCK_TRUSTED_PROXIES: z
    .string()
    .refine(areAddresses, 'must be IP addresses or networks, with commas between them')
    .optional(),

  DATABASE_URL: postgresUrl.optional(),
  DATABASE_DIRECT_URL: postgresUrl.optional(),
  DATABASE_NAMED_STATEMENTS: flag.default(true),
  DATABASE_POOL_SIZE: wholeNumber(2, 500).default(10),

  S3_ENDPOINT: origin.optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_BUCKET: z.string().min(1).optional(),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_STS_ENDPOINT: origin.optional(),
  S3_STS_ROLE_ARN: z.string().min(1).optional(),
  DRYDOCK_S3_PORT: wholeNumber(0, 65_535).optional(),
  DRYDOCK_S3_PUBLIC_URL: origin.optional(),

  DRYDOCK_INIT_ORG: slug.default('main'),
  DRYDOCK_INIT_WORKSPACE: slug.default('main'),
  DRYDOCK_INIT_PROJECT: Slug.default('default'),
  DRYDOCK_INIT_EMAIL: EmailAddress.default('owner@localhost'),
  DRYDOCK_INIT_USERNAME: z
    .string()
    .regex(usernamePattern, 'must be a username: 3 to 39 lower-case letters, digits, inner dashes')
    .default('owner'),
  DRYDOCK_INIT_PASSWORD: Password.optional(),
  DRYDOCK_INIT_API_KEY: z.string().regex(apiKeyPattern, 'must be dd_ and 40 url-safe characters').optional(),
  DRYDOCK_SIGNUP: z.enum(['open', 'closed']).default('closed'),
  DRYDOCK_CREDITS: z.enum(['unlimited', 'enforced']).default('unlimited'),

  DRYDOCK_ROLE: z.enum(['all', 'server', 'worker']).default('all'),
  DRYDOCK_METRICS_PORT: wholeNumber(1, 65_535).optional(),
  DRYDOCK_MIN_CLIENT_VERSION: z.string().refine(readVersion, 'must be a version such as 1.2.3').optional(),
  DRYDOCK_RATE_LIMIT_READ: perMinute.default(1_200),
  DRYDOCK_RATE_LIMIT_WRITE: perMinute.default(600),
  DRYDOCK_RATE_LIMIT_INGEST: perMinute.default(6_000),

  DRYDOCK_MAX_RUNTIME_SECONDS: seconds.default(86_400),
  DRYDOCK_DEFAULT_RUNTIME_SECONDS: seconds.default(3_600),
  DRYDOCK_HOST_URL: origin.optional(),
  DRYDOCK_ALLOW_PROCESS_ISOLATION: flag.default(false),
  DRYDOCK_CONTAINER_IMAGE: z.string().min(1).optional(),
  DRYDOCK_CONTAINER_HOST: z
    .string()
    .regex(
      /^(unix:\/\/\/.+|tcp:\/\/[^/:\s]+:\d{1,5})$/,
      'must be unix:///path/of/a/socket or tcp://host:port',
    )
    .optional(),
  DRYDOCK_CONTAINER_CERTS: z.string().min(1).optional(),
  DRYDOCK_CONTAINER_RUNTIME: z.string().min(1).optional(),
  DRYDOCK_CONTAINER_PULL: flag.default(false),
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: flag.default(false),
  DRYDOCK_VENDOR_WORDS: flag.default(false),
  DRYDOCK_TRAINER_PYTHON: z.string().min(1).optional(),

  DRYDOCK_DISK_RESERVE: bytes.optional(),
  DRYDOCK_QUOTA_OBJECTS: quota.optional(),
  DRYDOCK_QUOTA_REGISTRY: quota.optional(),
  DRYDOCK_QUOTA_RUNTIMES: quota.optional(),
  DRYDOCK_QUOTA_SPANS: quota.optional(),
  DRYDOCK_PRICE_LIST: z.string().default(BUILT_IN_PRICES).transform(toPriceList),
});

export type Config = Readonly<ReturnType<typeof toConfig>>;

/** The configuration is wrong: the message lists every mistake, one a line. */
export class ConfigError extends Error {}

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  // An empty variable is how compose files and shells say "unset".
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  const mistakes = [
    ...findMisspelt(given),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  ];
  if (!parsed.success || mistakes.length > 0)
    throw new ConfigError(
      `The environment holds invalid settings:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`,
    );
  const env = parsed.data;
  if (env.DATABASE_URL && !env.DRYDOCK_SECRET_KEY) {
    throw new ConfigError(
      'DRYDOCK_SECRET_KEY is required whenever DATABASE_URL is set: every process on that database needs the same key.\n' +
        'Make one with: openssl rand -base64 48',
    );
  }
  const previous = env.DRYDOCK_SECRET_KEY_PREVIOUS;
  if (previous && (!env.DRYDOCK_SECRET_KEY || previous === env.DRYDOCK_SECRET_KEY)) {
    throw new ConfigError(
      'DRYDOCK_SECRET_KEY_PREVIOUS needs a DRYDOCK_SECRET_KEY that differs from it: the next key.',
    );
  }
  if (env.DATABASE_DIRECT_URL && !env.DATABASE_URL) {
    throw new ConfigError('DATABASE_DIRECT_URL is set without DATABASE_URL. Set DATABASE_URL as well.');
  }
  refuseHalfAnS3(given, env);
  refuseHalfAnEngine(env);
  return Object.freeze(toConfig(env, given));
}

const unknownVariables = (given: NodeJS.ProcessEnv) =>
  Object.keys(given).filter((name) => name.startsWith('DRYDOCK_') && !(name in Environment.shape));

/** A misspelt setting would silently leave its default in force. */
const findMisspelt = (given: NodeJS.ProcessEnv) =>
  unknownVariables(given).flatMap((name) => {
    const meant = findMeantName(name, Object.keys(Environment.shape));
    return meant === undefined ? [] : [`${name}: is not a setting; did you mean ${meant}?`];
  });

/** Variables that clients and scripts of Drydock read, and the server does not. */
const OF_CLIENTS = /^DRYDOCK_(?:API_KEY|URL|ORG|WORKSPACE|MODEL|TEST_\w+)$/;

/** Returns names of variables that look like settings but are not. */
export const ignoredVariables = (environment: NodeJS.ProcessEnv): readonly string[] =>
  unknownVariables(environment).filter((name) => !OF_CLIENTS.test(name));

/** An incomplete S3 configuration would otherwise silently select the embedded store. */
function refuseHalfAnS3(given: Record<string, string | undefined>, env: z.output<typeof Environment>): void {
  const names = Object.keys(given).filter((name) => name.startsWith('S3_') && name in Environment.shape);
  if (names.length > 0 && !env.S3_BUCKET) {
    throw new ConfigError(
      `${names.join(', ')}: set S3_BUCKET as well to keep objects in that S3, or none of them for the embedded store.`,
    );
  }
  if ((env.S3_ACCESS_KEY_ID === undefined) !== (env.S3_SECRET_ACCESS_KEY === undefined)) {
    throw new ConfigError(
      'Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY both, or neither: then the credentials of the machine are used.',
    );
  }
  if (env.PORT === 65_535 && env.DRYDOCK_S3_PORT === undefined && !env.S3_BUCKET) {
    throw new ConfigError(
      'The S3 gateway listens on PORT + 1, which is not a valid port; set DRYDOCK_S3_PORT.',
    );
  }
}

/** Variables that pg and TLS read from the environment themselves. */
const OF_CONNECTIONS = /^(?:PG[A-Z]+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/;

const ofConnections = (given: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => OF_CONNECTIONS.test(entry[0])),
  );

/** A client that reaches an engine without TLS is root on its machine. */
function refuseHalfAnEngine(env: z.output<typeof Environment>): void {
  const isRemote = env.DRYDOCK_CONTAINER_HOST?.startsWith('tcp://') ?? false;
  if (isRemote !== (env.DRYDOCK_CONTAINER_CERTS !== undefined)) {
    throw new ConfigError(
      'DRYDOCK_CONTAINER_CERTS is a folder with ca.pem, cert.pem and key.pem. It is required with a DRYDOCK_CONTAINER_HOST of tcp://, since a client that reaches an engine without TLS is root there, and allowed with no other host.',
    );
  }
}

function toConfig(env: z.output<typeof Environment>, given: NodeJS.ProcessEnv) {
  return {
    host: env.HOST,
    port: env.PORT,
    publicUrl: (env.DRYDOCK_PUBLIC_URL ?? `http://${urlHost(env.HOST)}:${env.PORT}`).replace(/\/+$/, ''),
    dataDir: resolve(env.DRYDOCK_DATA_DIR),
    secretKey: env.DRYDOCK_SECRET_KEY,
    previousSecretKey: env.DRYDOCK_SECRET_KEY_PREVIOUS,
    logLevel: env.DRYDOCK_LOG_LEVEL,
    logFormat: env.DRYDOCK_LOG_FORMAT,
    trustedProxies: env.DRYDOCK_TRUSTED_PROXIES,
    database: {
      url: env.DATABASE_URL,
      directUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
      namedStatements: env.DATABASE_NAMED_STATEMENTS,
      poolSize: env.DATABASE_POOL_SIZE,
      /** Environment variables for a child process that connects to the database as this one does. */
      environment: ofConnections(given),
    },
    s3: toS3(env),
    gateway: {
      /** 0 selects a free port. */
      port: env.DRYDOCK_S3_PORT ?? (env.PORT === 0 ? 0 : env.PORT + 1),
      /** undefined: `gatewayUrl` derives it from the port in use. */
      publicUrl: env.DRYDOCK_S3_PUBLIC_URL,
    },
    init: {
      organization: env.DRYDOCK_INIT_ORG,
      workspace: env.DRYDOCK_INIT_WORKSPACE,
      project: env.DRYDOCK_INIT_PROJECT,
      email: env.DRYDOCK_INIT_EMAIL,
      username: env.DRYDOCK_INIT_USERNAME,
      password: env.DRYDOCK_INIT_PASSWORD,
      apiKey: env.DRYDOCK_INIT_API_KEY,
    },
    signup: env.DRYDOCK_SIGNUP,
    role: env.DRYDOCK_ROLE,
    metricsPort: env.DRYDOCK_METRICS_PORT,
    minClientVersion: env.DRYDOCK_MIN_CLIENT_VERSION,
    /** Requests per minute and credential; 0 = no limit. */
    rateLimits: {
      read: env.DRYDOCK_RATE_LIMIT_READ,
      write: env.DRYDOCK_RATE_LIMIT_WRITE,
      ingest: env.DRYDOCK_RATE_LIMIT_INGEST,
    },
    runtimeLimits: {
      maxSeconds: env.DRYDOCK_MAX_RUNTIME_SECONDS,
      defaultSeconds: env.DRYDOCK_DEFAULT_RUNTIME_SECONDS,
    },
    credits: env.DRYDOCK_CREDITS,
    /** Bytes of the disk that are kept free; undefined: a share of the disk. */
    diskReserve: env.DRYDOCK_DISK_RESERVE,
    /** Bytes per organization; null: no quota, undefined: a share of the disk. */
    quotas: {
      objects: env.DRYDOCK_QUOTA_OBJECTS,
      registry: env.DRYDOCK_QUOTA_REGISTRY,
      runtimes: env.DRYDOCK_QUOTA_RUNTIMES,
      spans: env.DRYDOCK_QUOTA_SPANS,
    },
    /** Whether responses name backends the way the products do whose clients connect here. */
    vendorWords: env.DRYDOCK_VENDOR_WORDS,
    /** An interpreter with the packages of the trainer; undefined: the one that `npm run setup -- --training` has made. */
    trainerPython: env.DRYDOCK_TRAINER_PYTHON,
    inference: {
      /** Whether models may be called at addresses of this machine and its network. */
      allowPrivateProviders: env.DRYDOCK_ALLOW_PRIVATE_PROVIDERS,
      /** Prices of public models, for calls that spans report without a cost. */
      priceList: env.DRYDOCK_PRICE_LIST,
    },
    sandboxes: toSandboxes(env),
  };
}

/** @returns undefined for the embedded store */
function toS3(env: z.output<typeof Environment>) {
  if (env.S3_BUCKET === undefined) return undefined;
  return {
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
    stsEndpoint: env.S3_STS_ENDPOINT,
    stsRoleArn: env.S3_STS_ROLE_ARN,
  };
}

function toSandboxes(env: z.output<typeof Environment>) {
  return {
    /** The address at which other processes reach this one; undefined: the public URL. */
    hostUrl: env.DRYDOCK_HOST_URL,
    /** Process isolation (one shared kernel) is refused while sign-up is open, unless it is allowed explicitly. */
    allowProcessIsolation: env.DRYDOCK_ALLOW_PROCESS_ISOLATION || env.DRYDOCK_SIGNUP === 'closed',
    containers: {
      /** undefined: containers are not used for sandboxes. */
      image: env.DRYDOCK_CONTAINER_IMAGE,
      pull: env.DRYDOCK_CONTAINER_PULL,
      /** undefined: the engine of this machine. */
      host: env.DRYDOCK_CONTAINER_HOST,
      certificates: env.DRYDOCK_CONTAINER_CERTS,
      /** undefined: the engine's default. */
      runtime: env.DRYDOCK_CONTAINER_RUNTIME,
    },
  };
}

function areAddresses(list: string): boolean {
  return list.split(',').every((entry) => {
    const [address = '', bits] = entry.trim().split('/');
    return isIP(address) !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits));
  });
}

/** Returns the configured public URL of the S3 gateway, or else the public host with the gateway's port. */
export function gatewayUrl(
  { host, publicUrl, gateway }: Pick<Config, 'host' | 'publicUrl' | 'gateway'>,
  port: number,
): string {
  const reached = isWildcard(host) ? new URL(publicUrl).hostname : urlHost(host);
  return gateway.publicUrl ?? `http://${reached}:${port}`;
}

/** Whether the host stands for every address of the machine: a server can listen on it, but no client can connect to it. */
export function isWildcard(host: string): boolean {
  return /^(0\.0\.0\.0|0|\[?::0?\]?)$/.test(host);
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
