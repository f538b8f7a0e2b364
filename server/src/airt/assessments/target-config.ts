/** The target of an assessment as requests give it. */
import { z } from 'zod';

const Text = z.string().min(1).max(255);
const MAX_PROMPT = 100_000;
const MAX_TEMPLATE = 100_000;
const MAX_HEADERS = 50;

const sampling = {
  temperature: z.number().min(0).max(2).nullish(),
  max_tokens: z.int().min(1).max(1_000_000).nullish(),
};

const ModelTarget = z.looseObject({
  kind: z.literal('model').nullish(),
  model: Text.nullish().describe('`target_model` by default'),
  system_prompt: z.string().max(MAX_PROMPT).nullish(),
  ...sampling,
});

/** A reference to a secret of the assessment's creator: `{{secret:NAME}}`. */
export const SECRET_REFERENCE = /\{\{\s*secret:([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g;
/** Headers that say how a message is framed or where it goes: a wrong one would let a body be taken for a second request. */
const FRAMING_HEADER =
  /^(content-length|transfer-encoding|connection|keep-alive|proxy-connection|host|upgrade|expect|te|trailer)$/i;
const CREDENTIAL_HEADER = /^(authorization|proxy-authorization|cookie|x-api-key|api-key)$/i;

/** A field of a JSON body whose name says that it holds a credential, with a value that is not a reference to a secret. */
const CREDENTIAL_FIELD =
  /"[^"]*(?:api[-_]?key|secret|token|passw(?:or)?d|authorization)"\s*:\s*"(?!\{\{\s*(?:secret:|prompt))[^"]+"/i;

const Headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'is not the name of a header'),
    z.string().max(8_192),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `may have at most ${MAX_HEADERS} headers`)
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const holdsReference = value.search(SECRET_REFERENCE) >= 0;
      if (CREDENTIAL_HEADER.test(name) && !holdsReference)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'holds a credential; store it as a secret and write {{secret:NAME}} here',
        });
      if (FRAMING_HEADER.test(name))
        context.addIssue({ code: 'custom', path: [name], message: 'is set by the server' });
      if (/[\r\n\0]/.test(value))
        context.addIssue({ code: 'custom', path: [name], message: 'must not hold line breaks' });
    }
  });

const HttpTarget = z.looseObject({
  kind: z.literal('http'),
  url: z
    .string()
    .max(2_048)
    .refine(
      (url) => ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? ''),
      'must be an http or https URL',
    ),
  method: z.enum(['POST', 'PUT', 'PATCH', 'GET']).default('POST'),
  headers: Headers.nullish(),
  body_template: z
    .string()
    .max(MAX_TEMPLATE)
    .refine((template) => /\{\{\s*(prompt|messages)\s*\}\}/.test(template), 'must hold {{prompt}}')
    .refine(
      (template) => !CREDENTIAL_FIELD.test(template),
      'holds a credential; store it as a secret and write {{secret:NAME}} here',
    )
    .nullish()
    .describe('`{"prompt": "{{prompt}}"}` by default'),
  response_path: z
    .string()
    .max(500)
    .nullish()
    .describe(
      'Where the text stands in a JSON response, such as `choices.0.message.content`; the whole body by default',
    ),
  timeout_seconds: z.number().min(1).max(600).nullish(),
});

const AgentTarget = z.looseObject({
  kind: z.literal('agent'),
  capability: z.object({ name: Text, version: Text }),
  agent: Text.nullish(),
  model: Text.nullish().describe('`target_model` by default'),
  task: Text.nullish().describe('`name@version` of the task in whose environment the agent works'),
  timeout_seconds: z.int().min(1).max(86_400).nullish(),
});

export type ModelTargetOf = z.output<typeof ModelTarget>;
export type HttpTargetOf = z.output<typeof HttpTarget>;
export type AgentTargetOf = z.output<typeof AgentTarget>;

const SCHEMAS = { model: ModelTarget, http: HttpTarget, agent: AgentTarget };
type Kind = keyof typeof SCHEMAS;

export type TargetConfig =
  | { readonly kind: 'model'; readonly config: ModelTargetOf }
  | { readonly kind: 'http'; readonly config: HttpTargetOf }
  | { readonly kind: 'agent'; readonly config: AgentTargetOf };

const kindOf = (given: Readonly<Record<string, unknown>>): unknown => given['kind'] ?? 'model';

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind);

export const TargetConfigRequest = z.record(z.string(), z.unknown()).superRefine((given, context) => {
  const kind = kindOf(given);
  if (!isKind(kind)) {
    context.addIssue({
      code: 'custom',
      path: ['kind'],
      message: `must be one of ${Object.keys(SCHEMAS).join(', ')}`,
    });
    return;
  }
  for (const { path, message } of SCHEMAS[kind].safeParse(given).error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message });
});

/** @param stored a configuration that was checked when it was given; null is a model */
export function readTargetConfig(stored: Readonly<Record<string, unknown>> | null): TargetConfig {
  const given = stored ?? {};
  const kind = kindOf(given);
  if (!isKind(kind)) throw new Error('the stored target has an unknown kind');
  return { kind, config: SCHEMAS[kind].parse(given) } as TargetConfig;
}
