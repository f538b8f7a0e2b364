/** The events of an assessment in the API. */
import { z } from 'zod';
import type { Db } from '../../platform/db/connect.ts';
import type { EventFeed } from '../../platform/events/event-log.ts';
import { SEVERITIES } from '../../platform/red-team/scoring/severity.ts';
import { FINDING_TYPES } from '../../platform/red-team/scoring/summary.ts';
import { RUN_STATES } from '../schema.ts';
import { type Place, requireAssessment } from './store.ts';

export const ASSESSMENT_EVENTS = {
  assessment_start: z.object({ findings: z.int().optional() }).meta({ id: 'AssessmentStartEvent' }),
  finding_start: z
    .object({ finding_id: z.string(), attack_name: z.string(), goal: z.string() })
    .meta({ id: 'AssessmentFindingStartEvent' }),
  trial: z
    .object({
      finding_id: z.string(),
      trial_id: z.string(),
      trial_index: z.int(),
      score: z.number().nullable(),
      is_jailbreak: z.boolean(),
      error: z.string().optional(),
    })
    .meta({ id: 'AssessmentTrialEvent' }),
  finding_end: z
    .object({
      finding_id: z.string(),
      status: z.enum(RUN_STATES),
      finding_type: z.enum(FINDING_TYPES),
      severity: z.enum(SEVERITIES),
      best_score: z.number().nullable(),
    })
    .meta({ id: 'AssessmentFindingEndEvent' }),
  assessment_end: z
    .object({
      status: z.enum(RUN_STATES),
      stop_reason: z.string().nullable(),
      error: z.string().nullable().optional(),
    })
    .meta({ id: 'AssessmentEndEvent' }),
};

export async function getFeed(db: Db, scope: Place, given: string): Promise<EventFeed> {
  return { organizationId: scope.organizationId, streamId: await requireAssessment(db, scope, given) };
}
