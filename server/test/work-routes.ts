/** An operation that works as long as requested and reports its progress, for tests of live responses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ApiError } from '../src/platform/errors.ts';
import { type Progress, workspaceRoutes } from '../src/platform/http/operations.ts';

const WorkRequest = z.object({
  /** Number of reported steps, and the length of each of their texts. */
  steps: z.int().default(1),
  length: z.int().default(1),
  /** Milliseconds before the first step. */
  silence_ms: z.int().default(0),
  fail_after: z.int().optional(),
  wait: z.boolean().default(false),
  stream: z.boolean().default(false),
});

const Worked = z
  .object({ steps: z.int(), was_emitted: z.boolean(), text: z.string() })
  .meta({ id: 'Worked' });

const PROGRESS: Progress = {
  events: { step: z.object({ number: z.int(), text: z.string() }) },
  end: { type: 'done', data: Worked.omit({ text: true }) },
  field: 'stream',
};

export interface WorkSeen {
  /** Number of steps whose report has resolved. */
  emitted: number;
  calls: number;
  /** Names of the abort reasons of signals. */
  aborted: string[];
}

export function workRoutes(seen: WorkSeen, idempotency: boolean) {
  return workspaceRoutes('Work', (on) => {
    on.post(
      idempotency ? '/keyed-work' : '/work',
      {
        id: idempotency ? 'workOnce' : 'work',
        summary: 'Work',
        scope: 'projects:write',
        role: 'contributor',
        body: WorkRequest,
        response: Worked,
        watched: PROGRESS,
        idempotency,
      },
      async ({ body, signal, emit }) => {
        seen.calls++;
        signal.addEventListener('abort', () => seen.aborted.push((signal.reason as Error).name));
        await sleep(body.silence_ms);
        for (let number = 0; number < body.steps && !signal.aborted; number++) {
          if (body.fail_after === number) throw new ApiError('conflict_error', 'It broke on the way.');
          await emit?.('step', { number, text: 'x'.repeat(body.length), secret: 'not declared' });
          seen.emitted++;
        }
        if (body.wait) await sleep(60_000, undefined, { signal }).catch(() => undefined);
        signal.throwIfAborted();
        return { steps: body.steps, was_emitted: emit !== undefined, text: 'only in JSON' };
      },
    );
  });
}
