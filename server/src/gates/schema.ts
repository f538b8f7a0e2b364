/** Gates and their checks in the API. */
import { z } from 'zod';
import { Manifest } from '../airt/service.ts';
import { Id, isUuid, Name, Timestamp } from '../platform/fields.ts';
import { listOf } from '../platform/http/requests/lists.ts';
import { ArtifactName, SemVer } from '../registry/service.ts';

export const RULE_KINDS = ['pass_rate', 'asr', 'cost', 'latency'] as const;
export const CHECK_STATES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const VERDICTS = ['passed', 'failed', 'inconclusive'] as const;
export type Verdict = (typeof VERDICTS)[number];

const MAX_RULES = 20;
const Text = z.string().min(1).max(255);

const ruleFields = {
  kind: z
    .enum(RULE_KINDS)
    .describe(
      '`pass_rate`: at least `bound` of the samples pass; `asr`: at most `bound` of the attacks succeed; `cost`: US dollars of a sample, on average at most `bound`; `latency`: seconds of a sample, on average at most `bound`',
    ),
  task_set: Text.nullish().describe('`name`, or `org/name` of a public set; for all kinds but `asr`'),
  attack_manifest: z.array(z.looseObject({ attack: z.string().optional() })).nullish(),
  bound: z.number().min(0).max(1_000_000),
};

const GateRule = z.object({ ...ruleFields, margin: z.number() }).meta({ id: 'GateRule' });

const GateRuleRequest = z
  .object({
    ...ruleFields,
    attack_manifest: Manifest.nullish().describe('As of an assessment; for `asr`'),
    margin: z
      .number()
      .min(0)
      .max(0.5)
      .default(0.1)
      .describe(
        'Tolerance of the confidence interval beyond the bound. 0.1 with a bound of 1 requires 35 samples that all pass',
      ),
  })
  .superRefine((rule, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: rule });
    const isAttack = rule.kind === 'asr';
    if (isAttack && !rule.attack_manifest?.some((entry) => 'attack' in entry))
      refuse('attack_manifest', 'is needed for asr: the attacks to run');
    if (isAttack && rule.task_set) refuse('task_set', 'is for other kinds; asr takes attack_manifest');
    if (!isAttack && !rule.task_set) refuse('task_set', `is needed for ${rule.kind}: the tasks to run`);
    if (!isAttack && rule.attack_manifest)
      refuse('attack_manifest', `is for asr; ${rule.kind} takes task_set`);
    if ((isAttack || rule.kind === 'pass_rate') && rule.bound > 1) refuse('bound', 'is a rate, from 0 to 1');
  })
  .meta({ id: 'GateRuleRequest' });
export type GateRuleOf = z.output<typeof GateRule>;

const settings = {
  model: Text.nullish().describe('With which capabilities are checked; a check may name another'),
  agent: Text.nullish().describe('Of the capability; the built-in agent by default'),
  attacker_model: Text.nullish(),
  judge_model: Text.nullish(),
  project: Text.nullish().describe('Key or id; `default` by default'),
  repetitions: z.int().min(1).max(16).default(1).describe('Samples of each task'),
  concurrency: z.int().min(1).max(100).default(4),
  budget_usd: z.number().positive().max(1_000_000).nullish().describe('Of each evaluation and assessment'),
  seed: z.int().min(0).max(2_147_483_647).nullish(),
};

const GateSettings = z.object(settings);
export type GateSettingsOf = z.output<typeof GateSettings>;
export const readSettings = (given: unknown): GateSettingsOf => GateSettings.parse(given);

const body = {
  name: Name.refine((name) => !isUuid(name), 'must not be a UUID: gates are found by id or name'),
  description: z.string().max(20_000).nullish(),
  rules: listOf(GateRuleRequest, MAX_RULES, 1),
  protects: listOf(ArtifactName, 100)
    .nullish()
    .describe('Capabilities whose releases are promoted only after a check of the same candidate has passed'),
};

export const GateCreateRequest = z.object({ ...body, ...settings }).meta({ id: 'GateCreateRequest' });
export type CreateGate = z.output<typeof GateCreateRequest>;

export const GateResponse = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    rules: z.array(GateRule),
    protects: z.array(z.string()),
    ...settings,
    last_check: z
      .object({
        id: Id,
        capability: z.string().nullable(),
        model: z.string(),
        version: z.string().nullable(),
        status: z.enum(CHECK_STATES),
        verdict: z.enum(VERDICTS).nullable(),
        created_at: Timestamp,
      })
      .nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'GateResponse' });
export type GateOf = z.output<typeof GateResponse>;

export const GateCheckRequest = z
  .object({
    capability: Text.nullish().describe('`name`, or `org/name` of a public one; needs `version`'),
    model: Text.nullish().describe(
      'A model of the gateway, or with `version` one of the registry that is served here; beside a capability, the model that runs it',
    ),
    version: SemVer.nullish(),
  })
  .superRefine((request, context) => {
    if (!request.capability && !request.model)
      context.addIssue({
        code: 'custom',
        path: ['capability'],
        message: 'name a capability with its version, or a model',
        input: request,
      });
    if (request.capability && !request.version)
      context.addIssue({
        code: 'custom',
        path: ['version'],
        message: 'is needed: the version of the capability that is checked',
        input: request,
      });
  })
  .meta({ id: 'GateCheckRequest' });
export type CheckRequest = z.output<typeof GateCheckRequest>;

const RuleResult = z
  .object({
    kind: z.enum(RULE_KINDS),
    bound: z.number(),
    verdict: z.enum(VERDICTS),
    value: z.number().nullable().describe('What was measured; null where nothing was'),
    interval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
    n: z.int().describe('Samples or trials with a result'),
    errors: z.int().describe('Samples or trials without one'),
    more_samples: z
      .int()
      .nullable()
      .describe('How many more are needed at the same rate; null where none are, or none would help'),
    reason: z.string(),
    evaluation_id: Id.nullable(),
    assessment_id: Id.nullable(),
  })
  .meta({ id: 'GateRuleResult' });
export type RuleResultOf = z.output<typeof RuleResult>;

export const GateCheckResponse = z
  .object({
    id: Id,
    gate_id: Id,
    gate_name: z.string(),
    capability: z.string().nullable(),
    model: z.string(),
    version: z.string().nullable(),
    status: z.enum(CHECK_STATES),
    verdict: z.enum(VERDICTS).nullable().describe('null before the end; passed where every rule has passed'),
    results: z.array(RuleResult).describe('By rule; as far as they are known while the check runs'),
    rules: z.array(GateRule),
    error: z.string().nullable(),
    created_by: Id,
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'GateCheckResponse' });
export type GateCheckOf = z.output<typeof GateCheckResponse>;

export const pageFields = {
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(100).default(20),
};
export const GatePageQuery = z.object(pageFields);
export type PageQuery = z.output<typeof GatePageQuery>;

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });
export const GateListResponse = pageOf(GateResponse).meta({ id: 'GateListResponse' });
export const GateCheckListResponse = pageOf(GateCheckResponse).meta({ id: 'GateCheckListResponse' });

export const GATE_PATH = '/gates/:gate';
export const GateParams = z.object({ gate: z.string().describe('Id or name') });
export const CHECK_PATH = `${GATE_PATH}/checks/:check_id`;
export const CheckParams = GateParams.extend({ check_id: z.string() });

export const MAY_READ = { scope: 'evaluations:read', role: 'reader' } as const;
export const MAY_CHANGE = { scope: 'evaluations:write', role: 'contributor' } as const;
