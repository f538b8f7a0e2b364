/** The events of a training job in the API: its changes of state, and the records of its trainer. */
import { z } from 'zod';
import { JOB_STATES } from '../schema.ts';

const Metrics = z.record(z.string(), z.number());
const changed = { status: z.enum(JOB_STATES), worker: z.string().nullable(), attempt: z.int() };

export const TRAINING_EVENTS = {
  job_claimed: z.object(changed).meta({ id: 'TrainingClaimedEvent' }),
  cancel_requested: z.object(changed).meta({ id: 'TrainingCancelRequestedEvent' }),
  worker_lost: z.object(changed).meta({ id: 'TrainingWorkerLostEvent' }),
  training_start: z
    .looseObject({ step: z.int(), total_steps: z.int(), num_examples: z.int(), num_tokens: z.int() })
    .meta({ id: 'TrainingStartEvent' }),
  step_complete: z
    .object({ step: z.int(), epoch: z.number(), num_tokens_processed: z.int(), metrics: Metrics })
    .meta({ id: 'TrainingStepEvent' }),
  eval_complete: z.object({ step: z.int(), metrics: Metrics }).meta({ id: 'TrainingEvaluationEvent' }),
  checkpoint_saved: z.object({ step: z.int(), metrics: Metrics }).meta({ id: 'TrainingCheckpointEvent' }),
  training_error: z
    .object({ kind: z.string(), field: z.string().nullish(), message: z.string() })
    .meta({ id: 'TrainingErrorEvent' }),
  training_end: z
    .object({ step: z.int(), checkpoint_step: z.int(), metrics: Metrics })
    .meta({ id: 'TrainingEndEvent' }),
  cancelled: z.object({}).meta({ id: 'TrainingCancelledEvent' }),
  job_ended: z
    .object({ status: z.enum(JOB_STATES), error: z.string().nullable() })
    .meta({ id: 'TrainingJobEndedEvent' }),
};
