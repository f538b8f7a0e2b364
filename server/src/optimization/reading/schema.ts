/** Requests that read optimization jobs, and what they answer with. */
import { z } from 'zod';
import { Id, Timestamp } from '../../platform/fields.ts';
import { JOB_STATES, OptimizationJobResponse, TARGET_KINDS } from '../schema.ts';
import { SPLITS } from '../stored-job.ts';

const page = {
  page: z.int().min(1).default(1).describe('1-indexed'),
  page_size: z.int().min(1).max(100).default(20),
};

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int(), page: z.int().describe('1-indexed'), page_size: z.int() });

export const JobQuery = z.object({
  ...page,
  status: z.enum(JOB_STATES).optional(),
  target_kind: z.enum(TARGET_KINDS).optional(),
  project: z.string().max(255).optional().describe('Key or id'),
});

export type JobListQuery = z.output<typeof JobQuery>;

export const OptimizationJobListResponse = pageOf(OptimizationJobResponse).meta({
  id: 'OptimizationJobListResponse',
});

export const PageQuery = z.object(page);
export type PageOf = z.output<typeof PageQuery>;

const Texts = z.record(z.string(), z.string());

const Reflection = z
  .object({
    component: z.string(),
    prompt: z.string().describe('At most 20,000 characters of it; the session has all'),
    response: z.string().nullable().describe('At most 20,000 characters of it; null where the call failed'),
    error: z.string().nullable(),
    session_id: Id.nullable(),
    cost_usd: z.number(),
  })
  .meta({ id: 'OptimizationReflection' });

export const OptimizationCandidate = z
  .object({
    index: z.int().describe('0 is the capability as it was'),
    iteration: z.int().describe('-1 for the seed'),
    proposal: z.int(),
    found_by: z.enum(['seed', 'reflection', 'merge']),
    parents: z.array(z.int()),
    texts: Texts.describe('All components'),
    scores: z.array(z.number()).describe('On the validation set, by position'),
    mean_score: z.number(),
    objectives: z.record(z.string(), z.number()).describe('Means of the metrics of its verifications'),
    holdout_score: z.number().nullable().describe('Measured for each candidate that was the best so far'),
    was_best: z.boolean().describe('It was the best when it was found'),
    is_on_frontier: z.boolean(),
    metric_calls: z.int().describe('When it was found'),
    evaluation_id: Id.nullable().describe(
      'The evaluation on the validation set; null where all scores were known',
    ),
    reflections: z.array(Reflection),
    created_at: Timestamp,
  })
  .meta({ id: 'OptimizationCandidate' });

export type CandidateOf = z.output<typeof OptimizationCandidate>;

export const OptimizationCandidateListResponse = pageOf(OptimizationCandidate).meta({
  id: 'OptimizationCandidateListResponse',
});

const ProposalEvaluation = z.object({
  purpose: z.enum(['parent', 'child', 'merge', 'validation', 'holdout']),
  evaluation_id: Id,
  positions: z.array(z.int()),
  status: z.string(),
  scored_count: z.int(),
  cost_usd: z.number(),
});

export const OptimizationProposal = z
  .object({
    iteration: z.int(),
    proposal: z.int(),
    status: z
      .enum(['accepted', 'rejected', 'unfinished'])
      .describe('`unfinished`: under way, or the job ended before it'),
    reason: z
      .string()
      .nullable()
      .describe(
        'Of a rejection: not_better, perfect_score, no_traces, reflection_failed, unchanged, duplicate, merge_not_better',
      ),
    found_by: z.enum(['reflection', 'merge']),
    parents: z.array(z.int()),
    candidate_index: z.int().nullable(),
    components: z.array(z.string()),
    texts: Texts.nullable().describe('The new texts of these components'),
    previous_texts: Texts.nullable().describe("The first parent's texts of these components"),
    minibatch: z.array(z.int()),
    parent_scores: z.array(z.number()).nullable(),
    child_scores: z.array(z.number()).nullable(),
    error: z.string().nullable(),
    reflections: z.array(Reflection),
    evaluations: z.array(ProposalEvaluation).describe('All that was measured for it'),
    cost_usd: z.number(),
    created_at: Timestamp.nullable(),
  })
  .meta({ id: 'OptimizationProposal' });

export type ProposalOf = z.output<typeof OptimizationProposal>;

export const OptimizationProposalListResponse = pageOf(OptimizationProposal).meta({
  id: 'OptimizationProposalListResponse',
});

export const OptimizationExample = z
  .object({
    split: z.enum(SPLITS),
    position: z.int(),
    row_index: z.int().nullable(),
    task_name: z.string().nullable(),
    task_version: z.string().nullable(),
    input: z.string().describe('At most 500 characters of it'),
  })
  .meta({ id: 'OptimizationExample' });

export const ExampleQuery = z.object({
  ...page,
  split: z.enum(SPLITS).optional(),
});
export type ExampleListQuery = z.output<typeof ExampleQuery>;

export const OptimizationExampleListResponse = pageOf(OptimizationExample).meta({
  id: 'OptimizationExampleListResponse',
});

export const OptimizationLogsResponse = z
  .object({
    items: z.array(z.object({ seq: z.int(), timestamp: Timestamp, message: z.string() })),
  })
  .meta({ id: 'OptimizationLogsResponse' });

export const LogQuery = z.object({
  after: z.int().min(0).default(0).describe('Lines after this `seq`'),
  limit: z.int().min(1).max(1_000).default(1_000),
});

export const OptimizationArtifactsResponse = z
  .object({
    artifacts: z.object({
      best_candidate: z.record(z.string(), z.string()).nullable(),
      files: z
        .array(z.object({ path: z.string(), text: z.string() }))
        .describe(
          'The files of the capability that the best candidate changes, as a promotion would publish them',
        ),
      promoted: z.array(
        z.object({ capability: z.string(), version: z.string(), candidate: z.int(), created_at: Timestamp }),
      ),
    }),
  })
  .meta({ id: 'OptimizationArtifactsResponse' });
