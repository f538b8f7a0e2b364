/** Builds docs/operate/configuration.md: every setting with its default and its meaning, from config.ts. */
import { Environment } from '../src/config.ts';
import { SETTING_TEXTS } from '../src/setting-texts.ts';

type Name = keyof typeof Environment.shape;

const GROUPS: readonly (readonly [string, RegExp])[] = [
  [
    'Server',
    /^(?:HOST|PORT|DRYDOCK_(?:PUBLIC_URL|DATA_DIR|ROLE|TRUSTED_PROXIES|MIN_CLIENT_VERSION|LOG_.*|METRICS_PORT|SECRET_KEY.*))$/,
  ],
  ['Database', /^DATABASE_/],
  ['Objects', /^(?:S3_|DRYDOCK_S3_)/],
  ['First start, accounts', /^DRYDOCK_(?:INIT_|SIGNUP$|CREDITS$)/],
  ['Limits', /^DRYDOCK_(?:RATE_LIMIT|QUOTA|DISK_RESERVE|MAX_RUNTIME|DEFAULT_RUNTIME)/],
  ['Sandboxes', /^DRYDOCK_(?:HOST_URL|ALLOW_PROCESS_ISOLATION|CONTAINER_)/],
  ['Models and training', /^DRYDOCK_(?:ALLOW_PRIVATE_PROVIDERS|VENDOR_WORDS|TRAINER_PYTHON|PRICE_LIST)/],
];

export function describeSettings(): string {
  const names = Object.keys(Environment.shape) as Name[];
  const missing = names.filter((name) => !GROUPS.some(([, pattern]) => pattern.test(name)));
  if (missing.length > 0) throw new Error(`No group of describe-settings.ts has ${missing.join(', ')}.`);
  return [
    '# Configuration',
    '',
    'All settings are environment variables, and all have a default that works. An empty variable counts as unset; a wrong one',
    'keeps the server from starting and is named. With Docker they stand in [`.env`](docker.md#settings). This page is written by',
    '`npm run generate` from `server/src/config.ts`.',
    ...GROUPS.map(([title, pattern]) =>
      describeGroup(
        title,
        names.filter((name) => pattern.test(name)),
      ),
    ),
    '',
    'Several processes on one database: [scale out](scale-out.md).',
    '',
  ].join('\n');
}

const describeGroup = (title: string, names: readonly Name[]) =>
  [`\n## ${title}\n`, '| Variable | Default | Meaning |', '|---|---|---|', ...names.map(toRow)].join('\n');

function toRow(name: Name): string {
  const { meaning, otherwise = defaultOf(name) } = SETTING_TEXTS[name];
  return `| \`${name}\` | ${otherwise} | ${meaning} |`;
}

/** Returns the default in the notation of an environment variable. */
function defaultOf(name: Name): string {
  const parsed = Environment.shape[name].safeParse(undefined);
  const value = parsed.success ? parsed.data : undefined;
  if (typeof value === 'boolean') return value ? '`1`' : '`0`';
  return typeof value === 'string' || typeof value === 'number' ? `\`${value}\`` : 'unset';
}
