/** The request that makes a dataset of sessions. */
import { z } from 'zod';
import { Uuid } from '../../platform/fields.ts';
import { listOf } from '../../platform/http/requests/lists.ts';
import { ArtifactName, SemVer } from '../../registry/service.ts';
import { SessionQuery } from '../../sessions/service.ts';

export const MAX_SESSIONS = 10_000;

export const DatasetFromSessionsRequest = z
  .object({
    name: ArtifactName.describe('Of the dataset'),
    version: SemVer,
    summary: z.string().trim().min(1).max(2_000).nullish(),
    filter: SessionQuery.nullish().describe('As for the list of sessions and its facets'),
    session_ids: listOf(Uuid, MAX_SESSIONS, 1).nullish().describe('Only these sessions'),
    evaluation_ids: listOf(Uuid, 100, 1)
      .nullish()
      .describe('Only sessions of samples of these evaluations, with their scores'),
    min_score: z.number().nullish().describe('Of the sample; needs evaluation_ids'),
    passed: z.boolean().nullish().describe('Only samples that passed, or that did not; needs evaluation_ids'),
    format: z.enum(['openai', 'atif']).default('openai'),
    dedupe: z.boolean().default(true).describe('Of conversations that are the same, keep the first'),
    validation_fraction: z
      .number()
      .min(0)
      .max(0.5)
      .default(0)
      .describe('Share of the conversations that become the split `validation`'),
    seed: z.int().default(0).describe('Chooses the conversations of the validation'),
    max_sessions: z
      .int()
      .min(1)
      .max(MAX_SESSIONS)
      .default(1_000)
      .describe('The newest ones; of named sessions the first ones'),
  })
  .superRefine((request, context) => {
    const { evaluation_ids, min_score, passed } = request;
    if (evaluation_ids || ((min_score ?? null) === null && (passed ?? null) === null)) return;
    const field = (min_score ?? null) === null ? 'passed' : 'min_score';
    const message = 'is about samples of evaluations; name them in evaluation_ids';
    context.addIssue({ code: 'custom', path: [field], message, input: request });
  })
  .meta({ id: 'DatasetFromSessionsRequest' });

export type FromSessionsRequest = z.output<typeof DatasetFromSessionsRequest>;

export const DatasetFromSessionsResponse = z
  .object({
    name: z.string(),
    version: z.string(),
    format: z.string(),
    sessions: z.int().describe('That matched'),
    rows: z.int(),
    duplicates: z.int().describe('That were left out'),
    empty_sessions: z
      .int()
      .describe('Skipped sessions: without an assistant message, deleted, or not visible to you'),
    splits: z.record(z.string(), z.int()).describe('Rows of each'),
  })
  .meta({ id: 'DatasetFromSessionsResponse' });
