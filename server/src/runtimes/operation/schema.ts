import { z } from 'zod';
import { Timestamp } from '../../platform/fields.ts';
import type { Progress } from '../../platform/http/operations.ts';
import { Runtime } from '../schema.ts';

export const KeepAliveRequest = z
  .object({ extend_seconds: z.int().min(60).max(3_600) })
  .meta({ id: 'RuntimeKeepAliveRequest' });

export const KeepAliveResponse = z
  .object({ expires_at: Timestamp.describe('Never later than the longest time that it may run') })
  .meta({ id: 'RuntimeKeepAliveResponse' });

export const RuntimeProgress = z
  .object({ step: z.string().describe('Its name, for programs'), message: z.string() })
  .meta({ id: 'RuntimeProgress' });

/** Progress of a state transition, for clients that accept `text/event-stream`. */
export const CHANGE_PROGRESS: Progress = {
  events: { progress: RuntimeProgress },
  end: { type: 'runtime', data: Runtime },
};
