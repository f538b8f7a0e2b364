/** Shapes of the catalogues: attacks, transforms and categories of goals. */
import { z } from 'zod';
import { TARGET_KINDS } from '../../platform/red-team/ports.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { TRANSFORM_GROUPS } from '../../platform/red-team/transforms/transform.ts';

const MAX_PREVIEW = 20_000;

const JsonSchema = z.record(z.string(), z.unknown()).describe('JSON Schema');

export const AirtAttack = z
  .object({
    name: z.string(),
    summary: z.string(),
    paper: z.object({ title: z.string(), url: z.string() }).nullable(),
    turns: z.enum(['single', 'multi', 'indirect', 'system']),
    targets: z.array(z.enum(TARGET_KINDS)),
    params: JsonSchema,
    calls_per_trial: z
      .object({ attacker: z.number(), target: z.number(), judge: z.number() })
      .describe('Model calls that a trial costs, at most'),
    stops_early: z.boolean().describe('Ends at the first success, unless `params.exhaustive` is true'),
    threshold: z.number().nullable().describe('The score from which a trial is a success; null: 0.5'),
  })
  .meta({ id: 'AirtAttack' });

export const AirtTransform = z
  .object({
    name: z.string(),
    group: z.enum(TRANSFORM_GROUPS),
    summary: z.string(),
    params: JsonSchema,
    is_codec: z.boolean().describe('Has an exact inverse'),
    is_model_based: z.boolean().describe('Done by the attacker model'),
  })
  .meta({ id: 'AirtTransform' });

export const AirtGoalCategory = z
  .object({
    name: z.string(),
    description: z.string(),
    goals: z.array(z.string()).describe('Harmless goals that a manifest entry without goals uses'),
    severities: z
      .array(z.object({ min_score: z.number(), severity: z.enum(SEVERITIES) }))
      .describe('The severity from each score on, highest first'),
  })
  .meta({ id: 'AirtGoalCategory' });

export const TransformParams = z.object({ name: z.string() });

export const TransformPreviewRequest = z
  .object({ text: z.string().max(MAX_PREVIEW), params: z.record(z.string(), z.unknown()).nullish() })
  .meta({ id: 'TransformPreviewRequest' });

export const TransformPreviewResponse = z
  .object({ text: z.string() })
  .meta({ id: 'TransformPreviewResponse' });
