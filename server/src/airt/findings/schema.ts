/** Requests about findings. */
import { z } from 'zod';
import { DateTime, Id, Uuid } from '../../platform/fields.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { FINDING_TYPES } from '../../platform/red-team/scoring/summary.ts';
import { ArtifactName, SemVer } from '../../registry/service.ts';
import { TargetConfigRequest } from '../assessments/target-config.ts';
import {
  FINDING_STATES,
  FindingDetail,
  FindingSummary,
  pageFields,
  pageOfItems,
  severalOf,
} from '../schema.ts';

const MAX_NOTES = 20_000;
const MAX_BULK = 500;

const changes = {
  finding_status: z.enum(FINDING_STATES).nullish(),
  finding_type: z.enum(FINDING_TYPES).nullish(),
  severity: z.enum(SEVERITIES).nullish(),
  notes: z.string().max(MAX_NOTES).nullish().describe('The reasoning of the review event'),
};

export const UpdateFindingRequest = z.object(changes).meta({ id: 'UpdateFindingRequest' });
export type UpdateRequest = z.output<typeof UpdateFindingRequest>;

export const BulkFindingRequest = z
  .object({ finding_ids: z.array(Uuid).min(1).max(MAX_BULK), ...changes })
  .meta({ id: 'BulkFindingRequest' });
export type BulkRequest = z.output<typeof BulkFindingRequest>;

export const BulkFindingResponse = z
  .object({ items: z.array(FindingDetail).describe('Without trials and retests; long texts are cut') })
  .meta({ id: 'BulkFindingResponse' });

const words = z
  .string()
  .max(2_000)
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );

const filters = {
  severity: severalOf(SEVERITIES).optional().describe('One or several, separated by commas'),
  category: words.optional().describe('Goal categories, separated by commas'),
  attack_name: words.optional().describe('Separated by commas'),
  finding_status: severalOf(FINDING_STATES).optional().describe('Separated by commas'),
  finding_type: severalOf(FINDING_TYPES).optional().describe('Separated by commas'),
  min_score: z.number().min(0).max(1).optional(),
  search: z.string().max(200).optional().describe('Part of the goal, attack or notes, case-insensitive'),
  created_after: DateTime.optional(),
};

export const SORT_FIELDS = ['score', 'severity', 'created_at', 'attack_name'] as const;

export const FindingListQuery = z.object({
  ...filters,
  sort_by: z.enum(SORT_FIELDS).default('score'),
  sort_dir: z.enum(['asc', 'desc']).default('desc'),
  ...pageFields,
});
export type ListQuery = z.output<typeof FindingListQuery>;

export const FindingListResponse = pageOfItems(FindingSummary).meta({ id: 'FindingListResponse' });

export const RetestRequest = z
  .object({
    name: z.string().trim().min(1).max(255).nullish(),
    target_config: TargetConfigRequest.nullish().describe('The target of the finding by default'),
    target_model: z.string().min(1).max(255).nullish(),
    trials: z.int().min(1).max(200).nullish().describe('Of the attack; those of the finding by default'),
  })
  .meta({ id: 'RetestRequest' });
export type RetestRequestOf = z.output<typeof RetestRequest>;

export const RegressionTaskRequest = z
  .object({
    name: ArtifactName.nullish().describe(
      'Of the task; made of the attack and the id of the finding by default',
    ),
    version: SemVer.nullish().describe('1.0.0 by default'),
    task_set: ArtifactName.nullish().describe('Created where there is none; `regressions` by default'),
    judge_model: z
      .string()
      .min(1)
      .max(255)
      .nullish()
      .describe('Judges answers where no canary decides; the judge of the finding by default'),
  })
  .meta({ id: 'RegressionTaskRequest' });
export type RegressionTaskRequestOf = z.output<typeof RegressionTaskRequest>;

export const RegressionTaskResponse = z
  .object({
    finding_id: Id,
    task_name: z.string(),
    task_version: z.string(),
    task_set: z.string(),
    created: z.boolean().describe('false: the task was there already'),
  })
  .meta({ id: 'RegressionTaskResponse' });
export type RegressionTaskOf = z.output<typeof RegressionTaskResponse>;
