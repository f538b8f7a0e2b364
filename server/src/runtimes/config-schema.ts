/** Schema of a runtime configuration, with the defaults and limits of the API. */
import { z } from 'zod';
import { Id, Uuid } from '../platform/fields.ts';
import { countedFirst, listOf } from '../platform/http/requests/lists.ts';
import { findPatternMistake } from '../platform/sandbox/egress/allow-list.ts';

const PROVIDERS = ['auto', 'container', 'hosted_sandbox'] as const;

const MAX_TEXT = 255;
const MAX_PROMPT = 65_536;
const MAX_CAPABILITIES = 100;
const MAX_LABELS = 100;
const MAX_VARIABLES = 200;
const MAX_VALUE_BYTES = 65_536;
const MAX_SECRETS = 100;
const MAX_PORTS = 100;
const MAX_HOSTS = 100;
const MAX_SECONDS = 2_147_483_647;

const Word = z.string().min(1).max(MAX_TEXT);

export const RuntimeSeconds = z.int().min(60).max(MAX_SECONDS);

/** Names that are valid in a shell. */
export const EnvironmentName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'must be the name of an environment variable: letters, digits and underscores',
  );

/** Longer values are not possible in Linux. */
const EnvironmentValue = z
  .string()
  .refine(
    (value) => Buffer.byteLength(value) <= MAX_VALUE_BYTES,
    `must have at most ${MAX_VALUE_BYTES} bytes`,
  )
  .refine((value) => !value.includes('\0'), 'must not hold a NUL character');

export const Environment = countedFirst(
  z.record(EnvironmentName, EnvironmentValue),
  MAX_VARIABLES,
  (given) => (typeof given === 'object' && given !== null ? Object.keys(given).length : 0),
);

const CapabilityEntry = z.object({
  name: Word.describe('Local name, or `owner/name` of a public one'),
  version: Word.nullable().default(null).describe('null: the newest release'),
  enabled: z.boolean().default(true),
});

export type CapabilityEntryOf = z.output<typeof CapabilityEntry>;

const Capabilities = listOf(CapabilityEntry, MAX_CAPABILITIES).superRefine((entries, context) => {
  const names = new Set<string>();
  for (const [index, { name }] of entries.entries()) {
    if (names.has(name)) {
      const message = 'is in the list already';
      context.addIssue({ code: 'custom', path: [index, 'name'], message, input: name });
    }
    names.add(name);
  }
});

const HostPattern = z
  .string()
  .max(MAX_TEXT)
  .superRefine((pattern, context) => {
    const message = findPatternMistake(pattern);
    if (message) context.addIssue({ code: 'custom', message, input: pattern });
  });

export const PLATFORM_ACCESS = ['none', 'inference', 'full'] as const;
export type PlatformAccess = (typeof PLATFORM_ACCESS)[number];
const MAX_SPEND_USD = 1_000_000;

const Optional = Word.nullable().default(null);

const AllowedHosts = listOf(HostPattern, MAX_HOSTS);

const Sandbox = z
  .object({
    egress_allow: AllowedHosts.optional().describe(
      'Hosts that may be reached over HTTP and HTTPS; absent: no network at all',
    ),
    egress: z
      .object({ allow: AllowedHosts.default([]) })
      .nullish()
      .describe('Another form of egress_allow; give one of them'),
    platform_access: z
      .enum(PLATFORM_ACCESS)
      .optional()
      .describe(
        'What its programs reach of the platform, without a key: `inference` the models of the gateway, `full` also traces and sessions; absent: none',
      ),
    spend_limit_usd: z
      .number()
      .positive()
      .max(MAX_SPEND_USD)
      .optional()
      .describe('Most that the model calls of one sandbox may cost; absent: no limit of its own'),
    exposed_ports: listOf(z.int().min(1).max(65_535), MAX_PORTS).default([]),
    timeout_seconds: RuntimeSeconds.nullable().default(null),
    workspace_mount: z.boolean().default(true),
  })
  .superRefine(({ egress, egress_allow }, context) => {
    if (!egress || !egress_allow || egress.allow.join() === egress_allow.join()) return;
    const message = 'must name the same hosts as egress_allow; leave one of the two out';
    context.addIssue({ code: 'custom', path: ['egress', 'allow'], message, input: egress.allow });
  })
  .transform(({ egress, ...sandbox }) => ({
    ...sandbox,
    ...(egress && { egress_allow: egress.allow }),
  }));

export const RuntimeConfig = z
  .object({
    version: z.literal('v2').default('v2'),
    build: z
      .object({
        profile: Word.default('default'),
        provider: z.enum(PROVIDERS).default('auto'),
        source: z.object({ kind: Word.default('builtin'), ref: Word.default('runtime') }).prefault({}),
      })
      .prefault({}),
    capabilities: Capabilities.default([]),
    defaults: z
      .object({
        agent: Optional,
        capability: Optional,
        model: Optional,
        system_prompt: z.string().max(MAX_PROMPT).nullable().default(null),
      })
      .prefault({}),
    metadata: z
      .object({
        labels: countedFirst(
          z.record(z.string().min(1).max(MAX_TEXT), z.string().max(MAX_TEXT)),
          MAX_LABELS,
          (given) => (typeof given === 'object' && given !== null ? Object.keys(given).length : 0),
        ).default({}),
      })
      .prefault({}),
    resources: z
      .object({
        cpu_cores: z.int().min(1).max(32).default(2),
        memory_mb: z.int().min(512).max(131_072).default(2048),
      })
      .prefault({}),
    runtime_server: z.object({ env: Environment.default({}) }).prefault({}),
    sandbox: Sandbox.prefault({}),
    secrets: z.object({ secret_ids: listOf(Uuid, MAX_SECRETS).default([]) }).prefault({}),
  })
  .meta({ id: 'RuntimeConfig' });

export type RuntimeConfigOf = z.output<typeof RuntimeConfig>;

const Named = z.record(z.string(), z.string());

const SANDBOX = {
  platform_access: z.enum(PLATFORM_ACCESS).optional(),
  spend_limit_usd: z.number().optional(),
  exposed_ports: z.array(z.int()),
  timeout_seconds: z.int().nullable(),
  workspace_mount: z.boolean(),
};

/** The configuration in responses, with all defaults filled in. */
const StoredConfig = z.object({
  version: z.literal('v2'),
  build: z.object({
    profile: z.string(),
    provider: z.enum(PROVIDERS),
    source: z.object({ kind: z.string(), ref: z.string() }),
  }),
  capabilities: z.array(z.object({ name: z.string(), version: z.string().nullable(), enabled: z.boolean() })),
  defaults: z.object({
    agent: z.string().nullable(),
    capability: z.string().nullable(),
    model: z.string().nullable(),
    system_prompt: z.string().nullable(),
  }),
  metadata: z.object({ labels: Named }),
  resources: z.object({ cpu_cores: z.int(), memory_mb: z.int() }),
  runtime_server: z.object({ env: Named.describe('The values are masked for everybody but the owner') }),
  sandbox: z.object({ egress_allow: z.array(z.string()).optional(), ...SANDBOX }),
  secrets: z.object({ secret_ids: z.array(Id) }),
});

/** Has the configuration twice: as fields, and as the document `config`, which published clients read, edit and send back. */
export const RuntimeConfigResponse = StoredConfig.extend({
  runtime_id: Id,
  config_digest: z.string(),
  config: StoredConfig.extend({
    sandbox: z.object({ egress: z.object({ allow: z.array(z.string()) }).optional(), ...SANDBOX }),
  }).describe('The same as one document, with `sandbox.egress.allow` in place of `sandbox.egress_allow`'),
}).meta({ id: 'RuntimeConfigResponse' });
export type RuntimeConfigResponseOf = z.output<typeof RuntimeConfigResponse>;

/**
 * Accepts a configuration as fields, or as the document `config`. Fields take precedence, so that a whole response can be edited and sent
 * back.
 */
export const RuntimeConfigReplaceRequest = RuntimeConfig.extend({
  config: RuntimeConfig.optional().describe('Read where no other field is given'),
}).meta({ id: 'RuntimeConfigReplaceRequest' });
export type RuntimeConfigReplacement = z.output<typeof RuntimeConfigReplaceRequest>;
